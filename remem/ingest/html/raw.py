"""Elements read for their plain text: code, formulas, frames. It writes no blocks."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from remem.ingest.html.escape import collapse_space

HIDDEN = frozenset(("script", "style", "template"))
"""Elements whose text is no text of the page."""

BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4",
        "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "p",
        "plaintext", "pre", "search", "section", "summary", "table", "tbody", "td", "textarea", "tfoot", "th",
        "thead", "tr", "ul", "xmp",
    )
)  # fmt: skip
"""Elements that begin and end a block."""

_TEX = ("application/x-tex", "text/x-tex", "application/x-latex")


def walk_below(root: LexborNode) -> Iterator[LexborNode]:
    """All elements and texts below `root` in order, but for what hidden elements hold."""
    waiting: list[LexborNode] = []
    node = root.first_child
    while node is not None or waiting:
        if node is None:
            node = waiting.pop().next
            continue
        yield node
        below = node.first_child if node.tag not in HIDDEN else None
        if below is not None:
            waiting.append(node)
            node = below
        else:
            node = node.next


def read_lines(root: LexborNode) -> str:
    """The text below `root` as it stands, with a line end for each `<br>` and between blocks."""
    parts: list[str] = []
    for node in walk_below(root):
        tag = node.tag
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag == "br" or (tag in BLOCKS and parts and not parts[-1].endswith("\n")):
            parts.append("\n")
    return "".join(parts)


def find_names(root: LexborNode) -> list[str]:
    """The ids and names by which addresses lead to something below `root`."""
    found: list[str] = []
    for node in walk_below(root):
        if node.tag != "-text":
            found += read_names(node.tag or "", node.attributes)
    return found


def read_names(tag: str, attributes: dict[str, str | None]) -> list[str]:
    """The id of an element, and the name of an `<a>`. The id of a knowledge element is that of a node."""
    if tag == "knowledge":
        return []
    found = [attributes.get("id"), attributes.get("name") if tag == "a" else None]
    return [name.strip() for name in found if name and name.strip()]


def holds_blocks(root: LexborNode) -> bool:
    """Whether a block, a line end, or another element of its name stands somewhere below `root`."""
    return any(node.tag in BLOCKS or node.tag in ("br", root.tag) for node in walk_below(root))


def read_formula(root: LexborNode) -> str:
    """A MathML formula as TeX between dollars where it says its TeX, else its symbols with spaces between them."""
    symbols: list[str] = []
    for node in walk_below(root):
        if node.tag in ("annotation", "annotation-xml"):
            tex = collapse_space(node.text()).strip(" ")
            if (node.attributes.get("encoding") or "").lower() in _TEX and tex and "$" not in tex:
                return f"$${tex}$$" if root.attributes.get("display") == "block" else f"${tex}$"
        elif node.tag == "-text" and (node.text_content or "").strip():
            symbols.append(collapse_space(node.text_content or "").strip(" "))
    return " ".join(symbols)


def find_language(node: LexborNode) -> str:
    """The language of a code block, from a class `language-…` or `lang-…` of it or of the `<code>` in it."""
    inner = node.first_child
    for element in (node, inner):
        if element is None or element.tag == "-text":
            continue
        for word in (element.attributes.get("class") or "").split():
            kind, _, name = word.partition("-")
            if kind in ("language", "lang") and name.replace("-", "").replace("+", "").replace("#", "").isalnum():
                return name
    return ""
