"""Markdown to a parsed document: front matter, tree, links and tags of one file. Nothing is resolved or stored here."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from remem.ingest.blocks import TreeWriter
from remem.ingest.comments import find_comments
from remem.ingest.events import Scanner
from remem.ingest.frontmatter import FrontMatter, parse_front_matter
from remem.ingest.links import Problems
from remem.ingest.rows import Row, RowWriter, Tagged
from remem.ingest.split import Span
from remem.ingest.tags import find_tags
from remem.ingest.tree import Block, Found, place_links
from remem.records import Diagnostic, ParsedDocument

_FENCE = re.compile(r"(---|\+\+\+)[ \t]*\n")
_YAML_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_LATE_FENCE = re.compile(r"\s*\n---[ \t]*\n[A-Za-z_][\w -]*:(?:[ \t]|\n)")


def parse_markdown(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The nodes, links and tags of a Markdown file. Never raises; linear in the text.

    `source` names the file (its stem is the title where the text has none), `text` has `\\n` line ends and no BOM. No
    node but headings and parents of other blocks has more than `max_tokens` tokens. `previous` holds the contents of
    the pieces of each block that was split when the file was parsed before: cuts that still fit are kept.
    """
    problems: Problems = []
    front, start = _read_front_matter(text, problems)
    scanner = Scanner(text, start, problems)
    scanner.scan()
    comments = _find_comments(scanner)
    links = _drop_links(scanner.links, comments) if comments else scanner.links
    tags = _find_tags(scanner, comments)
    if front is not None:
        links = place_links(text, 0, 1, sorted(front.links, key=lambda link: link.line)) + links
    writer = RowWriter(text, max_tokens, previous, links, tags, scanner.spans)
    if front is not None:
        writer.add_block(Block("kv", 0, start), "kv", 0, ())
        writer.rows[0].tags = front.tags
    first = len(writer.rows)
    TreeWriter(writer).add_document(scanner.root)
    return _make_document(source, writer, front, first, problems)


def _make_document(
    source: str, writer: RowWriter, front: FrontMatter | None, first: int, problems: Problems
) -> ParsedDocument:
    title_heading = _find_title_heading(writer.rows, first)
    heading = writer.rows[title_heading].label if title_heading is not None else ""
    title = front.title if front is not None else None
    writer.rows[0].label = title or heading or PurePosixPath(source).stem
    nodes, tail = writer.finish()
    return ParsedDocument(
        source=source,
        format="markdown",
        nodes=tuple(nodes),
        tail=tail,
        title_heading=title_heading,
        aliases=front.aliases if front is not None else (),
        diagnostics=tuple(Diagnostic(source, line, code, message) for line, code, message in sorted(problems)),
    )


def _find_title_heading(rows: Sequence[Row], first: int) -> int | None:
    """The level-1 heading, if there is only one and it is the first node after front matter (index `first`)."""
    if first >= len(rows) or rows[first].level != 1:
        return None
    return None if any(row.level == 1 for row in rows[first + 1 :]) else first


# --- front matter ---


def _read_front_matter(text: str, problems: Problems) -> tuple[FrontMatter | None, int]:
    """The front matter and the position after its closing fence; None and 0 where there is none."""
    opening = _FENCE.match(text)
    if opening is None:
        if _LATE_FENCE.match(text):
            problems.append((1, "front-matter-not-first", "front matter counts only on the first line of a file"))
        return None, 0
    closing = (_YAML_END if opening[1] == "---" else _TOML_END).search(text, opening.end())
    if closing is None or text.startswith("\n", opening.end()):
        return None, 0
    raw = text[opening.end() : closing.start()]
    front = parse_front_matter(raw, "yaml" if opening[1] == "---" else "toml", 2)
    if not front.is_mapping and raw.strip():
        return None, 0
    problems += front.problems
    return front, closing.end()


# --- tags and comments ---


def _find_comments(scanner: Scanner) -> list[Span]:
    """The spans of `%% … %%`. Code, math and HTML hide their marks: they are blanked, line ends kept."""
    text, start = scanner.text, scanner.start
    if text.count("%%", start) < 2:
        return []
    parts: list[str] = []
    done = start
    for begin, end in sorted(scanner.hidden):
        if begin >= done:
            parts += (text[done:begin], _blank_text(text[begin:end]))
            done = end
    parts.append(text[done:])
    return [(begin + start, end + start) for begin, end in find_comments("".join(parts))]


def _blank_text(text: str) -> str:
    return "\n".join("x" * len(line) for line in text.split("\n"))


def _drop_links(links: list[Found], comments: Sequence[Span]) -> list[Found]:
    starts = [start for start, _ in comments]

    def is_hidden(position: int) -> bool:
        index = bisect_right(starts, position) - 1
        return index >= 0 and position < comments[index][1]

    return [found for found in links if not is_hidden(found.start)]


def _find_tags(scanner: Scanner, comments: Sequence[Span]) -> list[Tagged]:
    """The tags of all runs of plain text, each at its position."""
    tags: list[Tagged] = []
    text = scanner.text
    for begin, end in _subtract(_join_runs(text, scanner.runs), comments):
        if text.find("#", begin, end) < 0:
            continue
        # A mark before the run that is no white space goes along: behind `\` or `]` a `#` begins no tag.
        lead = begin - 1 if begin and text[begin - 1] in "\\]`)" else begin
        for tag in find_tags(text[lead:end]):
            tags.append((max(text.find("#" + tag, begin, end), begin), tag))
    return tags


def _join_runs(text: str, runs: Sequence[Span]) -> Iterator[Span]:
    """Runs that touch, or have only the backslash of an escape between them, as one."""
    begin = end = -1
    for start, stop in runs:
        if start == end or (start == end + 1 and text[end] == "\\"):
            end = stop
            continue
        if begin >= 0:
            yield begin, end
        begin, end = start, stop
    if begin >= 0:
        yield begin, end


def _subtract(runs: Iterable[Span], comments: Sequence[Span]) -> Iterator[Span]:
    """The parts of the runs that lie outside of all comments. Both are in order."""
    index = 0
    for start, end in runs:
        while index < len(comments) and comments[index][1] <= start:
            index += 1
        at = index
        while at < len(comments) and comments[at][0] < end:
            if start < comments[at][0]:
                yield start, comments[at][0]
            start = comments[at][1]
            at += 1
        if start < end:
            yield start, end
