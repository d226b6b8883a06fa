"""What a compile did, as lines: files, nodes and links by fate, the problems of texts. Prints nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.cli.output import clean_label, count

if TYPE_CHECKING:
    from remem.records import CompileReport, Diagnostic

SHOWN_DIAGNOSTICS = 20
MEASURABLE = 1_000_000
"""Below so many bytes a speed says nothing."""


def list_summary(report: CompileReport, read: int) -> Iterator[str]:
    """The lines that follow a compile. `read` are the bytes that were read."""
    yield from list_diagnostics(report.diagnostics)
    yield ("dry run, nothing is written: " if report.dry_run else "") + f"{report.root}: {_tell_files(report)}"
    nodes = _tell_counts(report, wire.FATES, "node")
    links = f"{count(report.links, 'link')}, {report.pending} pending, {report.ambiguous} ambiguous"
    yield f"{nodes}; {links}" if nodes else f"no node changed; {links}"
    speed = f", {read / report.seconds / 1e6:.1f} MB/s" if read >= MEASURABLE and report.seconds else ""
    yield f"{max(report.seconds, 0.001):.2g} s{speed}" if report.seconds < 10 else f"{report.seconds:.0f} s{speed}"


def _tell_files(report: CompileReport) -> str:
    told = _tell_counts(report, ("files_added", "files_changed", "files_removed"), "file")
    if report.files_unchanged:
        told += f"{', ' if told else ''}{count(report.files_unchanged, 'file')} unchanged"
    return told or "no files"


def _tell_counts(report: CompileReport, fields: Sequence[str], noun: str) -> str:
    parts: list[str] = []
    for field in fields:
        number = getattr(report, field)
        if number:
            name = field.removeprefix("files_")
            parts.append(f"{count(number, noun)} {name}" if not parts else f"{number} {name}")
    return ", ".join(parts)


def list_diagnostics(found: Sequence[Diagnostic]) -> Iterator[str]:
    """The problems of files: the first of them, how many more there are, and how many of each code."""
    for problem in found[:SHOWN_DIAGNOSTICS]:
        place = f"{problem.source}:{problem.line}" if problem.line else problem.source
        yield f"{clean_label(place)}: {problem.code}: {problem.message}"
    if len(found) > SHOWN_DIAGNOSTICS:
        yield f"… {len(found) - SHOWN_DIAGNOSTICS} more; --json shows all"
    if found:
        codes = Counter(problem.code for problem in found).most_common()
        yield "problems: " + ", ".join(f"{number} {code}" for code, number in codes)
