"""Passages: the nodes of a document, in order, become the units of search. Text in, records out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePosixPath

from remem.keys import loose_key, strict_key, strip_note_extension
from remem.records import NodeRow, Passage, PassageText
from remem.search.escapes import blank_escapes, holds_escapes

MAX_TOKENS = 256
"""A passage holds at most so many, but for its first block (and the heading above it)."""

_VERSION = b"1"
"""Part of each hash: another folding of the index makes all passages new."""


@dataclass(frozen=True, slots=True)
class _Section:
    """What passages of a section share."""

    label: str
    breadcrumb: tuple[str, ...]
    tags: tuple[str, ...]


def make_passages(
    nodes: Sequence[NodeRow],
    tags: Mapping[int, Sequence[str]],
    source: str = "",
    title_heading: int | None = None,
    context: str = "",
) -> list[Passage]:
    """The passages of one document in order: every node stands in one.

    `nodes` are its nodes in pre-order, `tags` by node key; `source` is its path, whose stem is searched where it is not
    the title; `title_heading` the key of its title heading. `context` goes with each passage.
    """
    sections: dict[int, _Section] = {}
    stations: dict[int | None, int] = {}
    passages: list[Passage] = []
    run: list[NodeRow] = []
    tokens = 0

    def make(run: Sequence[NodeRow], tokens: int) -> Passage:
        section = sections[run[0].station]
        text = _make_text(run, section, tags, source, title_heading)._replace(context=context)
        return Passage(
            run[0].document, run[0].station, run[0].position, run[-1].position, tokens, hash_text(text), text
        )

    for row in nodes:
        stations[row.key] = row.station
        if row.key == row.station:
            sections[row.key] = _read_section(row, sections.get(stations.get(row.parent, 0)), tags)
        elif row.key == title_heading:
            sections[row.station] = _add_title(sections[row.station], row, tags)
        if run and (row.station != run[0].station or (tokens + row.tokens > MAX_TOKENS and _has_text(run))):
            passages.append(make(run, tokens))
            run, tokens = [], 0
        run.append(row)
        tokens += row.tokens
    if run:
        passages.append(make(run, tokens))
    return passages


def hash_text(text: PassageText) -> int:
    """64 bits, signed, that tell whether an indexed text is the same."""
    joined = "\x1f".join(text).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8, salt=_VERSION).digest(), "big", signed=True)


def _read_section(row: NodeRow, above: _Section | None, tags: Mapping[int, Sequence[str]]) -> _Section:
    breadcrumb, inherited = ((*above.breadcrumb, above.label), above.tags) if above else ((), ())
    return _Section(row.label or "", breadcrumb, (*inherited, *tags.get(row.key, ())) if tags else inherited)


def _add_title(section: _Section, row: NodeRow, tags: Mapping[int, Sequence[str]]) -> _Section:
    """The title heading holds what stands below it, as its document does."""
    label = section.label if row.label in (None, section.label) else f"{section.label} {row.label}"
    return _Section(label, section.breadcrumb, (*section.tags, *tags.get(row.key, ())) if tags else section.tags)


def _has_text(run: Sequence[NodeRow]) -> bool:
    return any(row.kind != "heading" and row.content for row in run)


def _make_text(
    run: Sequence[NodeRow],
    section: _Section,
    tags: Mapping[int, Sequence[str]],
    source: str,
    title_heading: int | None,
) -> PassageText:
    first = run[0]
    # The heading of the section and that of the title stand in the label already.
    body = run[1:] if first.key == first.station and first.kind == "heading" else run
    content = "\n".join(row.content for row in body if row.key != title_heading)
    content = blank_escapes(content) if holds_escapes(source) else content
    breadcrumb = section.breadcrumb
    if first.key == first.document and source:
        breadcrumb = (*breadcrumb, *_name_file(source, section.label))
    own = section.tags if not tags else (*section.tags, *(tag for row in run for tag in tags.get(row.key, ())))
    return PassageText(content, section.label, "\n".join(breadcrumb), " ".join(sorted(set(map(strict_key, own)))))


def _name_file(source: str, label: str) -> tuple[str, ...]:
    """The file's stem where the title does not say it. Folders are left out: they move without the file."""
    stem = strip_note_extension(PurePosixPath(source).name)
    return () if loose_key(stem) == loose_key(label) else (stem,)
