"""Compile: one run from a folder to the store. Plans what must be read, reads and parses it outside any transaction,
and hands it to `documents` in one transaction, or in slices where it is large."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import random
from typing import TYPE_CHECKING

from remem.clock import read_clock
from remem.errors import InvalidInputError, NotFoundError, RememError, StoreBusyError
from remem.ingest.parse import PARSER_VERSION, find_format
from remem.ingest.redacted import parse_redacted
from remem.records import (
    CompileProgress,
    CompileReport,
    Diagnostic,
    DocumentRow,
    FileStat,
    RootPlan,
    SourceFile,
    SourceText,
)
from remem.redaction.redactor import Redactor
from remem.sources.read import read_source
from remem.sources.roots import decide_root
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows
from remem.storage.pool import Store
from remem.storage.threads import run_stoppable
from remem.writing.carrying import carry_held
from remem.writing.documents import Outcome, write_batch
from remem.writing.drafts import Batch, NewFile
from remem.writing.exchanges import gather_exchanges
from remem.writing.mentions import DEFAULT_MENTIONS, MentionOptions, settle_mentions
from remem.writing.planning import Known, Plan, StalePlanError, load_known, make_plan

if TYPE_CHECKING:
    from sqlite3 import Connection

REPLANS = 20
"""So often is a compile planned anew because another process compiled the same files meanwhile,"""
REPLAN_SECONDS = 0.02
"""after a rest of up to so long, and longer each time: of two that begin together one comes first."""

_KEPT = (
    "the first of {count} known files that are gone, more than half of all; nothing was removed."
    " If that is meant: `remem compile --prune`"
)

Progress = Callable[[CompileProgress], None]


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Settings of a compile: `max_node_tokens`, the greatest file and the greatest slice written at once, in bytes,
    those of mentions, and what takes secrets out (None: nothing does)."""

    max_node_tokens: int
    max_file_bytes: int
    slice_bytes: int
    mentions: MentionOptions = DEFAULT_MENTIONS
    redactor: Redactor | None = None

    @property
    def fingerprint(self) -> str:
        """What a file was parsed under. Another fingerprint makes an unchanged file be parsed again."""
        redacted = f"+{self.redactor.fingerprint}" if self.redactor else ""
        return f"{PARSER_VERSION}{redacted}/{self.max_node_tokens}"


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """What a caller asks: the file or folder, the root's name, the confirmations it needs, and whether texts
    are searched for names before it is done (`discover`). `existing`: only where the store has the root. `part_of` is
    the message of a snapshot that this is not all of: it stays unfinished for what comes next."""

    path: Path
    root: str | None = None
    moved: bool = False
    prune: bool = False
    dry_run: bool = False
    progress: Progress | None = None
    discover: bool = True
    existing: bool = False
    part_of: str = ""

    def tell(self, phase: str, done: int, total: int) -> None:
        """Reports progress where somebody listens."""
        if self.progress:
            self.progress(CompileProgress(phase, done, total))


@dataclass(slots=True)
class _Read:
    """What reading one slice gave. `untouched` are held files that are as they were, by source."""

    files: list[NewFile] = field(default_factory=list)
    touched: list[tuple[int, FileStat]] = field(default_factory=list)
    untouched: dict[str, FileStat] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    seen_at: int = 0


class _DryRunError(RememError):
    """Ends the transaction of a dry run; carries what would have been done."""

    def __init__(self, outcome: Outcome, report: CompileReport) -> None:
        super().__init__("dry run")
        self.outcome = outcome
        self.report = report


async def compile_path(store: Store, options: CompileOptions, request: CompileRequest) -> CompileReport:
    """Compiles a file or folder.

    Raises NotFoundError for a path that does not exist, ConflictError for a root of that name elsewhere,
    InvalidInputError for a file of no known format, StoreBusyError where other processes never leave the files alone.
    """
    started = time.perf_counter()
    for attempt in range(REPLANS):
        await asyncio.sleep(random() * REPLAN_SECONDS * attempt)
        try:
            report = await _compile_once(store, options, request)
        except StalePlanError:
            continue
        if request.discover and not request.dry_run:
            await settle_mentions(store, options.mentions)
        return replace(report, seconds=time.perf_counter() - started)
    raise StoreBusyError(f"other processes keep compiling {request.path}; try again when they are done")


@contextmanager
def _paused_collection() -> Iterator[None]:
    """Keeps the cyclic garbage collector from walking the hundred thousands of tuples of a slice again and again, which
    costs a fifth of the time. A slice is bounded, and none of its records refers to itself."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


async def _compile_once(store: Store, options: CompileOptions, request: CompileRequest) -> CompileReport:
    roots = await store.read(document_rows.load_roots)
    target = decide_root(request.path, request.root, request.moved, roots)
    _refuse_secret_place(target, options.redactor)
    known = await store.read(load_known, target)
    if request.existing and known.key is None:
        raise NotFoundError(f"root {target.name} is not in the store any more", root=target.name)
    request.tell("scan", 0, 0)
    limit = 0 if request.dry_run else options.slice_bytes
    plan = await asyncio.to_thread(
        make_plan, target, known, options.fingerprint, options.max_file_bytes, limit, options.redactor
    )
    plan = await gather_exchanges(store, plan, options.max_file_bytes, limit)
    outcomes: list[Outcome] = []
    problems = list(plan.scan.diagnostics)
    total = sum(file.stat.size for part in plan.slices for file in part)
    done = 0
    for number, part in enumerate(plan.slices):
        pieces = await store.read(_load_pieces, [plan.known.documents.get(file.source) for file in part])
        with _paused_collection():
            found = await run_stoppable(partial(_read_slice, part, plan.known, pieces, options, request, done, total))
            done += sum(file.stat.size for file in part)
            problems += found.diagnostics
            request.tell("write", done, total)
            try:
                outcomes.append(await store.write_alone(_write_slice, plan, request, found, number, outcomes))
            except _DryRunError as dry:
                return replace(_report(plan, [dry.outcome], problems, dry.report), dry_run=True, snapshot=None)
    report = _report(plan, outcomes, problems, await store.read(_count_root, plan.root.name))
    return replace(report, dry_run=request.dry_run)


def _refuse_secret_place(target: RootPlan, redactor: Redactor | None) -> None:
    """Raises InvalidInputError where a root's name or place holds a secret: neither can be redacted."""
    for part, text in (("root", target.name), ("path", target.folder)):
        if redactor is not None and redactor.clean(text) != text:
            raise InvalidInputError(f"the {part} of this root holds a secret; rename the folder", field=part)


# --- reading ---------------------------------------------------------------------------------------------------------


def _load_pieces(connection: Connection, rows: Iterable[DocumentRow | None]) -> dict[int, list[list[str]]]:
    return node_rows.load_pieces(connection, [row.node for row in rows if row is not None])


def _read_slice(
    part: Sequence[SourceFile],
    known: Known,
    pieces: Mapping[int, list[list[str]]],
    options: CompileOptions,
    request: CompileRequest,
    done: int,
    total: int,
    is_stopped: Callable[[], bool],
) -> _Read:
    read = _Read(seen_at=read_clock())
    for file in part:
        if is_stopped():
            break  # nobody waits for what was read
        row = known.documents.get(file.source)
        found = read_source(file, max_bytes=options.max_file_bytes)
        done += file.stat.size
        request.tell("parse", done, total)
        if not isinstance(found, SourceText):
            read.diagnostics.append(found.diagnostic)
        elif file.source in known.held and known.held[file.source].hash == found.hash:
            read.untouched[file.source] = found.stat
        elif row and row.hash == found.hash and row.settings == options.fingerprint and row.source == file.source:
            read.touched.append((row.node, found.stat))
        else:
            _take_in(read, found, pieces.get(row.node, []) if row else [], options)
    return read


def _take_in(read: _Read, found: SourceText, pieces: Sequence[Sequence[str]], options: CompileOptions) -> None:
    """Parses a file; one that cannot be searched for secrets is left as it was."""
    try:
        read.files.append(_parse(found, pieces, options, read.seen_at))
    except InvalidInputError as error:
        read.diagnostics.append(Diagnostic(found.source, 0, "redaction-failed", error.message))


def _parse(found: SourceText, pieces: Sequence[Sequence[str]], options: CompileOptions, seen_at: int) -> NewFile:
    format = find_format(found.source) or "text"
    parsed = parse_redacted(
        options.redactor, found.source, found.text, format, max_tokens=options.max_node_tokens, previous=pieces
    )
    diagnostics = (*found.diagnostics, *parsed.diagnostics)
    return NewFile(parsed, found.hash, found.stat, seen_at, options.fingerprint, diagnostics, len(found.text))


# --- writing ---------------------------------------------------------------------------------------------------------


def _write_slice(
    connection: Connection,
    plan: Plan,
    request: CompileRequest,
    read: _Read,
    number: int,
    before: Sequence[Outcome],
) -> Outcome:
    first, last = number == 0, number == len(plan.slices) - 1
    if first and _has_nothing(plan, read) and last:
        return Outcome()
    now = read_clock()
    if first:
        _check_plan(connection, plan)
    root = _save_root(connection, plan, now, absorb=first)
    document_rows.touch_documents(connection, read.touched, read.seen_at)
    files = carry_held(connection, root, plan, read.files, read.untouched, read.seen_at)
    open_id = next((outcome.snapshot for outcome in reversed(before) if outcome.snapshot), plan.known.open_id)
    batch = Batch(
        root=root,
        root_name=plan.root.name,
        files=files,
        vanished=plan.vanished if first else (),
        elsewhere=frozenset(plan.known.documents.keys() & plan.elsewhere if first else ()),
        known=plan.known_part,
        message=request.part_of or f"compile {plan.root.name}",
        now=now,
        prune=request.prune,
        open_id=open_id,
        finished=last and not request.part_of,
        absorbed=plan.known.absorbed if first else frozenset(),
        compiled=True,
    )
    outcome = write_batch(connection, batch)
    if request.dry_run:
        raise _DryRunError(outcome, _count_root(connection, plan.root.name))
    return outcome


def _has_nothing(plan: Plan, read: _Read) -> bool:
    known = plan.known
    settled = known.key is not None and known.open_id is None and not plan.root.moved and not plan.root.takes_over
    return settled and not (read.files or read.touched or read.untouched or plan.vanished)


def _check_plan(connection: Connection, plan: Plan) -> None:
    """The plan stands only while nobody else has compiled these files since it was made."""
    now = load_known(connection, plan.root)
    known = plan.known
    if (now.documents, now.held, now.key) != (known.documents, known.held, known.key):
        raise StalePlanError("the store changed since the compile was planned")


def _save_root(connection: Connection, plan: Plan, now: int, *, absorb: bool) -> int:
    keys = {root.name: root.key for root in document_rows.load_roots(connection)}
    key = document_rows.save_root(connection, keys.get(plan.root.name), plan.root.name, plan.root.folder, now)
    for name, prefix in plan.root.takes_over if absorb else ():
        before = f"{prefix}/" if prefix else ""
        document_rows.move_documents(connection, keys[name], key, before)
        # Both may hold a file that neither has a document of: what the inner root knows of it is newer.
        held_rows.release(connection, key, [before + source for source in held_rows.find_held(connection, keys[name])])
        held_rows.move_held(connection, keys[name], key, before)
        if name != plan.root.name:
            document_rows.delete_root(connection, keys[name])
    return key


def _count_root(connection: Connection, name: str) -> CompileReport:
    """The report's figures on the root as a whole."""
    root = next((root for root in document_rows.load_roots(connection) if root.name == name), None)
    links, pending, ambiguous = link_rows.count_links(connection, root.key if root else 0)
    diagnostics = document_rows.load_diagnostics(connection, root.key) if root else ()
    return CompileReport(
        root=name, files=0, files_added=0, files_changed=0, files_removed=0, files_unchanged=0, added=0, modified=0,
        moved=0, removed=0, links=links, pending=pending, ambiguous=ambiguous, snapshot=None, diagnostics=diagnostics,
    )  # fmt: skip


def _report(
    plan: Plan, outcomes: Sequence[Outcome], problems: Sequence[Diagnostic], root: CompileReport
) -> CompileReport:
    kept = tuple(source for outcome in outcomes for source in outcome.kept)
    warnings = [Diagnostic(source, 0, "kept", _KEPT.format(count=len(kept))) for source in kept[:1]]
    changed = sum(outcome.files_changed for outcome in outcomes)
    added = sum(outcome.files_added for outcome in outcomes)
    conflicts = [found for outcome in outcomes for found in outcome.conflicts]
    found = {*problems, *conflicts, *root.diagnostics}
    # The warning comes first: of many diagnostics, faces show the first ones.
    diagnostics = (*warnings, *sorted(found, key=lambda d: (d.source, d.line, d.code, d.message)))
    return replace(
        root,
        files=len(plan.scan.files),
        files_added=added,
        files_changed=changed,
        files_removed=sum(outcome.files_removed for outcome in outcomes),
        files_unchanged=len(plan.scan.files) - added - changed,
        added=sum(len(outcome.changes.added) for outcome in outcomes),
        modified=sum(len(outcome.changes.modified) for outcome in outcomes),
        moved=sum(len(outcome.changes.moved) for outcome in outcomes),
        removed=sum(len(outcome.changes.removed) for outcome in outcomes),
        snapshot=next((outcome.snapshot for outcome in reversed(outcomes) if outcome.snapshot), None),
        diagnostics=diagnostics,
        kept=kept,
    )
