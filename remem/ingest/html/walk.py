"""The walk over a page: which element begins a block, which one a link, which one is left out. It parses no source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from selectolax.lexbor import LexborNode

from remem.ingest.html import embeds
from remem.ingest.html.escape import escape_heading, escape_line, read_address, write_code, write_fence
from remem.ingest.html.inline import Inline
from remem.ingest.html.raw import (
    BLOCKS,
    HIDDEN,
    find_language,
    find_names,
    holds_blocks,
    read_formula,
    read_lines,
    read_names,
)
from remem.ingest.html.sheet import Container, Sheet
from remem.ingest.html.tables import Table

_Attributes: TypeAlias = dict[str, str | None]
_Leave: TypeAlias = Callable[[], None]
_LAYOUT = "h1,h2,h3,h4,h5,h6,pre"
_MAX_LAYOUT = 8
"""Tables nested deeper are not looked into whether they are a grid of cells."""


def _stay() -> None:
    """Nothing is to be done at the end of an element."""


def _skip() -> None:
    """What an element holds is left out, or was read already."""


class Walker:
    """Reads a page in order of its text and writes its blocks on a sheet. Iterative: pages may nest deeply."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.sheet = Sheet()
        self.inline = Inline()
        self._names = self.sheet.anchors
        self._titled = False
        self._captured = 0
        self._headings = 0
        self._tables = 0
        self._table: Table | None = None

    def walk(self, root: LexborNode) -> None:
        """Read all below `root`."""
        waiting: list[tuple[LexborNode, bool, _Leave]] = []
        node = root.first_child
        while node is not None or waiting:
            if node is None:
                left, is_block, leave = waiting.pop()
                if is_block:
                    self.flush()
                leave()
                node = left.next
                continue
            tag = node.tag
            if tag == "-text":
                self.inline.add_text(node.text_content or "")
                node = node.next
                continue
            if tag is None or tag[0] == "-" or tag in HIDDEN:
                node = node.next
                continue
            is_block = tag in BLOCKS
            leave = self._enter(node, tag, is_block)
            below = node.first_child if leave is not _skip else None
            if below is None:
                if is_block:
                    self.flush()
                leave()
                node = node.next
            else:
                waiting.append((node, is_block, leave))
                node = below
        self.flush()

    def flush(self) -> None:
        """End the paragraph that is being read; within a heading or a cell keep its parts apart."""
        if self._captured:
            self.inline.add_space()
        else:
            self.add_paragraphs(self.inline.take())

    def add_paragraphs(self, text: str) -> None:
        """Write text as paragraphs, which blank lines part."""
        source, self.inline.source = self.inline.source, ""
        for part in text.split("\n\n") if text else ():
            lines = [escape_line(line) for line in part.split("\n") if line]
            if lines:
                self.sheet.add(lines, source, kind="text")
                source = ""

    def add_block(self, markdown: str) -> None:
        """Write one line of Markdown as a block; within a heading or a cell as a part of it."""
        if self._captured:
            self.inline.add_raw(f" {markdown} ")
        else:
            self.flush()
            self.sheet.add([markdown])

    def _enter(self, node: LexborNode, tag: str, is_block: bool) -> _Leave:
        if is_block:
            self.flush()
        attributes = node.attributes
        if attributes:
            self._names += read_names(tag, attributes)
        handler = _HANDLERS.get(tag)
        return handler(self, node, attributes) if handler is not None else _stay

    # --- blocks ---

    def _enter_heading(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if self._captured:
            return _stay
        marks = "#" * int((node.tag or "h1")[1])
        self._captured += 1
        self._headings += 1

        def leave() -> None:
            self._captured -= 1
            self._headings -= 1
            text = escape_heading(self.inline.take_line())
            source, self.inline.source = self.inline.source, ""
            if text:
                self.sheet.add([f"{marks} {text}"], source)

        return leave

    def _enter_list(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if self._captured:
            return _stay
        start = (attributes.get("start") or "1").strip() if node.tag == "ol" else ""
        number = (int(start) if start.isdecimal() and len(start) < 10 else 1) if start else None
        height = self.sheet.open_list(number)
        return lambda: self.sheet.close(height)

    def _enter_item(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if self._captured:
            return _stay
        height = self.sheet.open_item()
        return lambda: self.sheet.close(height)

    def _enter_term(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if not self._captured:
            if node.tag == "dt":
                self.sheet.close_term()
            self.sheet.open_item("term")
        return _stay

    def _enter_quote(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if self._captured:
            return _stay
        height = self.sheet.open(Container("quote", "> ", "> "))
        return lambda: self.sheet.close(height)

    def _enter_pre(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self._names += find_names(node)
        text = read_lines(node).replace("\r", "\n").strip("\n").rstrip()
        if self._captured:
            self.inline.add_raw(write_code(text))
        elif text.strip():
            self.sheet.add(write_fence(text, find_language(node)), text)
        return _skip

    def _enter_code(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if not self._captured and holds_blocks(node):
            self.flush()
            return self._enter_pre(node, attributes)
        self._names += find_names(node)
        text = read_lines(node)
        self.inline.source = self.inline.source or text
        self.inline.add_raw(write_code(text))
        return _skip

    def _enter_textarea(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        for line in read_lines(node).replace("\r", "\n").split("\n"):
            self.inline.add_text(line)
            self.inline.add_raw("\n")
        return _skip

    # --- tables ---

    def _enter_table(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        """A grid of cells becomes a table. One that holds tables, headings or code lays out the page: its cells are
        blocks."""
        if self._captured:
            return _stay
        self._tables += 1
        if self._tables > _MAX_LAYOUT or node.css_first(_LAYOUT) is not None or len(node.css("table")) > 1:
            return self._leave_layout
        outer, self.inline = self.inline, Inline()
        table = self._table = Table()
        self._captured += 1

        def leave() -> None:
            self._captured -= 1
            self._tables -= 1
            self._table = None
            rest, self.inline, self._names = self.inline.take(), outer, self.sheet.anchors
            self._write_table(table, rest)

        return leave

    def _leave_layout(self) -> None:
        self._tables -= 1

    def _write_table(self, table: Table, rest: str) -> None:
        for text in (*table.caption, rest):
            self.add_paragraphs(text)
        lines, anchors = table.write()
        single = table.find_single()
        self.inline.source = table.source
        if lines and single is None:
            self.sheet.add(lines, table.source, anchors=anchors)
        elif single is not None or not table.list_rows():
            self.sheet.anchors += table.list_names()
            self.add_paragraphs(single or "")
        else:
            for row, names in table.list_rows():
                self.sheet.anchors += names
                self.add_paragraphs(row)

    def _enter_row(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        table = self._table
        if table is None:
            return _stay
        table.open_row(self._names)
        self._names = []
        return table.close_row

    def _enter_cell(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        table = self._table
        if table is None:
            return _stay
        outer, self.inline = self.inline, Inline()

        def leave() -> None:
            text = self.inline.take_line()
            table.source = table.source or self.inline.source
            if node.tag == "caption":
                table.caption.append(text)
            else:
                table.add_cell(text, attributes.get("colspan"), attributes.get("rowspan"), self._names)
                self._names = []
            self.inline = outer

        return leave

    # --- inline ---

    def _enter_link(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        href = attributes.get("href") or attributes.get("xlink:href")
        if not href:
            return _stay
        self.inline.open_link(read_address(href, self.base))
        return lambda: self.inline.close_link(self._names if self._headings else None)

    def _enter_area(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.open_link(read_address(attributes.get("href") or "", self.base))
        self.inline.add_text(attributes.get("alt") or "")
        self.inline.close_link()
        self.inline.add_space()
        return _stay

    def _enter_break(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.add_raw("\n")
        return _stay

    def _enter_spaced(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.add_space()
        if node.tag == "optgroup" and attributes.get("label"):
            self.inline.add_text(f"{attributes['label']} ")
        return self._part

    def _enter_title(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        """The first one of the head stands in the front matter."""
        if not self._titled and node.parent is not None and node.parent.tag == "head":
            self._titled = True
            return _skip
        return self._enter_spaced(node, attributes)

    def _part(self) -> None:
        self.inline.add_space()

    def _enter_quoted(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.add_raw("“")
        return lambda: self.inline.add_raw("”")

    def _enter_ruby(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.add_raw("(")
        return lambda: self.inline.add_raw(")")

    def _enter_knowledge(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        """An element that was never closed takes in what follows it: then that is no label."""
        if holds_blocks(node):
            self.inline.add_knowledge(attributes, "")
            return _stay
        self._names += find_names(node)
        self.inline.source = self.inline.source or node.text()
        self.inline.add_knowledge(attributes, read_lines(node))
        return _skip

    def _enter_math(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self._names += find_names(node)
        self.inline.add_formula(read_formula(node))
        return _skip

    def _enter_image(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        self.inline.add_image(attributes.get("alt") or "", read_address(attributes.get("src") or "", self.base))
        return _stay

    def _enter_embed(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        address = read_address(attributes.get("src") or attributes.get("data") or "", self.base)
        label = embeds.find_note(address)
        title = attributes.get("title") or ""
        self.inline.add_space()
        if label:
            self.add_block(f"![[{label}]]")
        elif address and node.tag in ("iframe", "frame"):
            self.inline.open_link(address)
            self.inline.add_text(title or address)
            self.inline.close_link()
            self.inline.add_space()
        else:
            self.inline.add_image(title, address)
        return self._enter_fallback(node, attributes) if node.tag == "iframe" else self._part

    def _enter_fallback(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        """The text of an element whose tags the parser takes for text; in SVG it does not."""
        inner = node.first_child
        if inner is not None and (inner.tag != "-text" or inner.next is not None):
            return _stay
        self.inline.add_text(embeds.read_fallback(node.text()))
        return _skip

    def _enter_input(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        if self.sheet.is_in_item():
            self.inline.add_raw(embeds.write_box(attributes))
        self.inline.add_text(embeds.read_value(attributes))
        return _stay

    def _skip_element(self, node: LexborNode, attributes: _Attributes) -> _Leave:
        return _skip


_Handler: TypeAlias = Callable[[Walker, LexborNode, _Attributes], _Leave]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), Walker._enter_heading),
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), Walker._enter_list),
    "li": Walker._enter_item,
    **dict.fromkeys(("dt", "dd"), Walker._enter_term),
    "blockquote": Walker._enter_quote,
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), Walker._enter_pre),
    "code": Walker._enter_code,
    "textarea": Walker._enter_textarea,
    "table": Walker._enter_table,
    "tr": Walker._enter_row,
    **dict.fromkeys(("td", "th", "caption"), Walker._enter_cell),
    "a": Walker._enter_link,
    "area": Walker._enter_area,
    "br": Walker._enter_break,
    **dict.fromkeys(("option", "optgroup", "select", "button", "text", "desc", "foreignobject"), Walker._enter_spaced),
    "q": Walker._enter_quoted,
    "rt": Walker._enter_ruby,
    "rp": Walker._skip_element,
    "title": Walker._enter_title,
    "knowledge": Walker._enter_knowledge,
    "math": Walker._enter_math,
    "img": Walker._enter_image,
    "image": Walker._enter_image,
    **dict.fromkeys(("iframe", "frame", "embed", "object", "video", "audio"), Walker._enter_embed),
    **dict.fromkeys(("noframes", "noembed"), Walker._enter_fallback),
    "input": Walker._enter_input,
}
