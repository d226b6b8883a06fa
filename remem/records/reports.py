"""Reports of what was done and found."""

from __future__ import annotations

from dataclasses import dataclass

from remem.records.parsed import Diagnostic


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """How far a compile is. `phase` is scan, parse or write; `done` and `total` are bytes of the files to be read."""

    phase: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class CompileReport:
    """What one compile did: files by fate, nodes by change, links by state. `snapshot` is None where nothing changed.
    `diagnostics` are those of every file of the root, changed or not. `seconds` is wall time."""

    root: str
    files: int
    files_added: int
    files_changed: int
    files_removed: int
    files_unchanged: int
    added: int
    modified: int
    moved: int
    removed: int
    links: int
    pending: int
    ambiguous: int
    snapshot: int | None
    diagnostics: tuple[Diagnostic, ...]
    kept: tuple[str, ...] = ()
    dry_run: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class DropReport:
    """What dropping a root removed: documents, nodes, under which snapshot."""

    root: str
    documents: int
    nodes: int
    snapshot: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report. `fault` is True where an invariant is broken, False for a mere finding."""

    check: str
    fault: bool
    message: str
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All findings, how many checks ran, and how many faults were repaired."""

    findings: tuple[Finding, ...]
    checks: int
    fixed: int = 0

    @property
    def healthy(self) -> bool:
        """True where no invariant is broken."""
        return not any(finding.fault for finding in self.findings)
