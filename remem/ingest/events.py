"""One pass over the parser's events: text in, a tree of blocks and the inline finds out. It makes no nodes.

All positions are character offsets in the text. The pass holds its own stack, so nesting has no limit here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import pyromark

from remem.ingest import links
from remem.ingest.inline import find_address, find_torn_links, is_in_url
from remem.ingest.offsets import index_offsets
from remem.ingest.plain import is_break, strip_parameters
from remem.ingest.tokens import replace_surrogates
from remem.ingest.tree import SIMPLE_PARTS, Block, Found, place_links
from remem.records import RELATIONSHIP_TYPES, ParsedLink

_OPTIONS: Final = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_WIKILINKS
)
_TAG_HINT = re.compile(r"#(?<![\w\[|/&\\#]#)[^\s#]")
_HTML_TAG = re.compile(r"<(/?)(knowledge|code|pre|script|style|template)(?![\w-])", re.IGNORECASE)
_WRAP = re.compile(r"\s*\n[ \t>]*")
_LINE_PREFIX = re.compile(r"[ \t>]*")


class Scanner:
    """The pass and what it finds. `links` are in order of position; `spans` are the ranges of all links, URLs too, in
    which nothing is split; `runs` are the ranges of plain text, kept only where the text may hold tags; `hidden` are
    the ranges of code, math and HTML; `problems` are (line, code, message)."""

    def __init__(self, text: str, start: int, problems: links.Problems) -> None:
        self.text = text
        self.start = start
        self.problems = problems
        self.root = Block("document", start, len(text))
        self.links: list[Found] = []
        self.spans: list[tuple[int, int]] = []
        self.runs: list[tuple[int, int]] = []
        self.hidden: list[tuple[int, int]] = []
        self._stack = [self.root]
        self._parts: list[str] | None = None
        self._open: list[tuple[dict[str, Any], int]] = []
        self._tables: list[int] = []
        self._pictures = 0
        self._elements: dict[str, int] = {}
        self._tagged = _TAG_HINT.search(text, start) is not None
        self._typed = any(text.find(name, start) >= 0 for name in RELATIONSHIP_TYPES)
        self._types: dict[int, str | None] = {}
        self._counted = (start, text.count("\n", 0, start) + 1)

    def scan(self) -> None:
        """Walk all events. Linear in the text."""
        part = self.text[self.start :] if self.start else self.text
        events, at = _parse(part, self.start)
        starts, ends = _STARTS, _ENDS
        tagged = self._tagged
        for event, span in events:
            if "Text" in event:
                if self._parts is not None:
                    self._parts.append(event["Text"])
                if tagged and not self._open:
                    self.runs.append((at[span["start"]], at[span["end"]]))
                continue
            if event.__class__ is str:
                if event == "Rule":
                    self._attach(Block("rule", at[span["start"]], at[span["end"]]))
                elif self._parts is not None:
                    self._parts.append(" ")
                continue
            for key, value in event.items():
                if key == "Start":
                    tag = value if value.__class__ is str else next(iter(value))
                    handler = starts.get(tag)
                elif key == "End":
                    tag = value if value.__class__ is str else next(iter(value))
                    handler = ends.get(tag)
                else:
                    handler = _INLINE.get(key)
                if handler is not None:
                    handler(self, value, at[span["start"]], at[span["end"]])

    # --- blocks ---

    def _attach(self, block: Block) -> None:
        self._break_table(block.start)
        parent = self._stack[-1]
        parent.children.append(block)
        simple = SIMPLE_PARTS.get(parent.kind)
        if simple is not None and block.kind not in simple:
            self._mark_complex()

    def _mark_complex(self) -> None:
        for block in reversed(self._stack):
            if block.complex:
                return
            block.complex = True

    def _open_container(self, kind: str, start: int, end: int) -> None:
        block = Block(kind, start, end)
        self._attach(block)
        self._stack.append(block)
        self._elements.clear()

    def _start_list(self, _: object, start: int, end: int) -> None:
        self._open_container("list", start, end)

    def _start_item(self, _: object, start: int, end: int) -> None:
        self._open_container("item", start, end)

    def _start_quote(self, _: object, start: int, end: int) -> None:
        self._open_container("quote", start, end)

    def _start_footnote(self, _: object, start: int, end: int) -> None:
        self._open_container("footnote", start, end)

    def _end_container(self, _: object, start: int, end: int) -> None:
        self._stack.pop()
        self._elements.clear()

    def _start_paragraph(self, _: object, start: int, end: int) -> None:
        self._break_table(start)

    def _end_paragraph(self, _: object, start: int, end: int) -> None:
        text = self.text
        kind = "text"
        if (
            text.startswith("![[", start)
            and self.spans
            and self.spans[-1] == (start, start + len(text[start:end].rstrip()))
        ):
            kind = "embed"
        block = Block(kind, start, end)
        self._attach(block)
        self._elements.clear()

    def _start_heading(self, value: dict[str, Any], start: int, end: int) -> None:
        block = Block("heading", start, end)
        block.level = int(value["Heading"]["level"][1])
        self._attach(block)
        self._parts = []

    def _end_heading(self, _: object, start: int, end: int) -> None:
        self._stack[-1].children[-1].label = "".join(self._parts or ())
        self._parts = None
        self._elements.clear()

    def _start_code(self, value: dict[str, Any], start: int, end: int) -> None:
        self._attach(Block("indented" if value["CodeBlock"] == "Indented" else "code", start, end))
        self.hidden.append((start, end))
        # The text of a code block is no prose: as if inside a link that is never recorded.
        self._open.append(({}, start))

    def _end_code(self, _: object, start: int, end: int) -> None:
        self._open.pop()

    def _end_html(self, _: object, start: int, end: int) -> None:
        self._attach(Block("html", start, end))
        self.hidden.append((start, end))
        self._scan_html(start, end)

    def _start_table(self, _: object, start: int, end: int) -> None:
        self._break_table(start)
        self._tables.append(start)

    def _break_table(self, position: int) -> None:
        """Ends an open table before a block. The parser leaves a table whose rows lack very many cells: it reads what
        follows, the last row first, once more as other blocks, within the table by its events."""
        if self._tables and self._tables[-1] >= 0:
            begun, self._tables[-1] = self._tables[-1], -1
            for found in (self.links, self.spans, self.runs, self.hidden):
                while found and found[-1][0] >= position:
                    found.pop()
            self._add_table(begun, self.text.rfind("\n", begun, position) + 1 or position)

    def _end_table(self, _: object, start: int, end: int) -> None:
        if self._tables.pop() >= 0:
            self._add_table(start, end)

    def _add_table(self, start: int, end: int) -> None:
        self._attach(Block("table", start, end))
        self._elements.clear()
        if self.text.find("[[", start, end) >= 0:
            self._mend_links(start, end)

    # --- inline ---

    def _start_link(self, value: dict[str, Any], start: int, end: int) -> None:
        data = value.get("Link") or value["Image"]
        if self._parts is None:
            self._parts = []
            self._open.append((data, -1))
        else:
            self._open.append((data, len(self._parts)))
        if "Image" in value and data["link_type"].__class__ is str:
            self._pictures += 1

    def _end_link(self, tag: str, start: int, end: int) -> None:
        data, begun = self._open.pop()
        parts = self._parts or []
        shown = "".join(parts[max(begun, 0) :])
        if begun < 0:
            self._parts = None
        self.spans.append((start, end))
        link_type = data["link_type"]
        if link_type.__class__ is not str:
            if begun >= 0 and ";" in shown:
                parts[begun:] = [strip_parameters(shown)]
            if not self._pictures:
                self._add_wiki(tag == "Image", start, end)
        elif tag == "Image":
            self._pictures -= 1
        elif not self._pictures and link_type != "Autolink" and link_type != "Email":
            link = links.parse_markdown_target(data["dest_url"], shown, self._line_at(start))
            self._add_link(link, start, end)

    def _add_wiki(self, embed: bool, start: int, end: int) -> None:
        if start and not self.text[start - 1].isspace() and is_in_url(self.text, start):
            return
        raw = self.text[start + 3 : end - 2] if embed else self.text[start + 2 : end - 2]
        if "\n" in raw:
            raw = _WRAP.sub(" ", raw)
        if "\\|" in raw:
            raw = raw.replace("\\|", "|")
        address = find_address(self.text, end) if not embed and self.text.startswith("(", end) else None
        line = self._line_at(start)
        if address is None:
            link = links.parse_wiki(raw, embed=embed, line=line, problems=self.problems)
        else:
            link = links.parse_markdown_target(address[0], f"[{raw}]", line)
            end = address[1]
            self.spans[-1] = (start, end)
        self._add_link(link, start, end)

    def _add_link(self, link: ParsedLink | None, start: int, end: int) -> None:
        if link is None:
            return
        if self._typed and link.type == "references":
            link_type = self._find_type(start)
            if link_type is not None:
                link = link._replace(type=link_type)
        self.links.append(Found(start, end, link))

    def _find_type(self, position: int) -> str | None:
        """The type of all links of the list item, or else of all links of the line."""
        owner = self._stack[-1]
        if owner.kind == "item":
            found = self._read_type(owner.start, position)
            if found is not None:
                return found
        line = self.text.rfind("\n", 0, position) + 1
        match = _LINE_PREFIX.match(self.text, line)
        return self._read_type(match.end() if match else line, position, "::")

    def _read_type(self, begin: int, position: int, needed: str = "") -> str | None:
        """What the text before the first link says counts for all links that follow it."""
        if begin not in self._types:
            before = self.text[begin:position] if position - begin < 200 else ""
            self._types[begin] = links.find_type(before) if needed in before else None
        return self._types[begin]

    def _add_code(self, value: str, start: int, end: int) -> None:
        self.hidden.append((start, end))
        if self._parts is not None:
            self._parts.append(value)

    def _add_inline_html(self, value: str, start: int, end: int) -> None:
        """Links between the tags of an element that holds no links are taken back; `<knowledge>` is one itself."""
        self.hidden.append((start, end))
        if self._parts is not None and is_break(value):
            self._parts.append(" ")
        match = _HTML_TAG.match(value)
        if match is None:
            return
        name = match[2].lower()
        if not match[1]:
            self._elements.setdefault(name, start)
            return
        begun = self._elements.pop(name, None)
        if begun is None:
            return
        while self.links and self.links[-1].start >= begun:
            self.links.pop()
        while self.runs and self.runs[-1][0] >= begun:
            self.runs.pop()
        if name == "knowledge":
            self.spans.append((begun, end))
            self._scan_html(begun, end)

    # --- finds in raw text ---

    def _scan_html(self, start: int, end: int) -> None:
        source = self.text[start:end]
        if "[[" not in source and "<knowledge" not in source.lower():
            return
        line = self._line_at(start)
        self.links += place_links(self.text, start, line, links.scan_html(source, line, self.problems))

    def _mend_links(self, start: int, end: int) -> None:
        """Links that a bare pipe tore in two cells: recovered with one pipe, else only reported."""
        found = len(self.links)
        for torn in find_torn_links(self.text, start, end):
            line = self._line_at(torn.start)
            self.problems.append((line, "torn-table-link", r"a pipe in a link ends the table cell; write it as \|"))
            self.spans.append((torn.start, torn.end))
            if torn.raw:
                link = links.parse_wiki(torn.raw, embed=torn.embed, line=line, problems=self.problems)
                self._add_link(link, torn.start, torn.end)
        if len(self.links) > found:
            self.links.sort(key=lambda item: item.start)

    def _line_at(self, position: int) -> int:
        """The 1-based line of a position; cheap where positions mostly ascend."""
        counted, line = self._counted
        if position >= counted:
            line += self.text.count("\n", counted, position)
        else:
            line -= self.text.count("\n", position, counted)
        self._counted = (position, line)
        return line


def _parse(text: str, start: int) -> tuple[Iterator[tuple[Any, Any]], Sequence[int]]:
    """The events of `text`, and for each byte offset the character offset in a file where `text` begins at `start`."""
    if not text.isascii():
        text = replace_surrogates(text)
    return pyromark.events_with_range(text, options=_OPTIONS), index_offsets(text, start)


_Handler = Callable[[Scanner, Any, int, int], None]
_STARTS: dict[str, _Handler] = {
    "Paragraph": Scanner._start_paragraph,
    "List": Scanner._start_list,
    "Item": Scanner._start_item,
    "BlockQuote": Scanner._start_quote,
    "FootnoteDefinition": Scanner._start_footnote,
    "Heading": Scanner._start_heading,
    "CodeBlock": Scanner._start_code,
    "Table": Scanner._start_table,
    "Link": Scanner._start_link,
    "Image": Scanner._start_link,
}
_ENDS: dict[str, _Handler] = {
    "List": Scanner._end_container,
    "Item": Scanner._end_container,
    "BlockQuote": Scanner._end_container,
    "FootnoteDefinition": Scanner._end_container,
    "Paragraph": Scanner._end_paragraph,
    "Heading": Scanner._end_heading,
    "CodeBlock": Scanner._end_code,
    "HtmlBlock": Scanner._end_html,
    "Table": Scanner._end_table,
    "Link": Scanner._end_link,
    "Image": Scanner._end_link,
}
_INLINE: dict[str, _Handler] = {
    "Code": Scanner._add_code,
    "InlineMath": Scanner._add_code,
    "DisplayMath": Scanner._add_code,
    "InlineHtml": Scanner._add_inline_html,
}
