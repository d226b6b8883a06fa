"""Pages as nobody should write them: random tags, closed or not, around words that can be counted."""

from __future__ import annotations

import random
import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser

TAGS = (
    "a", "article", "b", "blockquote", "body", "br", "button", "caption", "code", "col", "custom-tag", "dd", "details",
    "div", "dl", "dt", "embed", "em", "fieldset", "figure", "font", "form", "frame", "frameset", "h1", "h2", "h3",
    "head", "hr", "html", "i", "iframe", "img", "input", "knowledge", "li", "main", "math", "mi", "nav", "noframes",
    "noscript", "object", "ol", "option", "p", "plaintext", "pre", "q", "rt", "ruby", "script", "section", "select",
    "span", "style", "sub", "summary", "svg", "table", "tbody", "td", "template", "text", "textarea", "tfoot", "th",
    "thead", "title", "tr", "ul", "video", "xmp",
)  # fmt: skip
ATTRIBUTES = (
    "", "", "", " id=x1", ' id="a b%"', " name=n", ' href="other.html#part"', " href='https://x.org'", " src=note.md",
    " colspan=3", " rowspan=2", " start=7", ' class="language-py"', " type=checkbox", " value=v", " weight=2.5",
    ' alt="[alt]"', ' title=""', ' "', " lang",
)  # fmt: skip
TEXTS = (
    "[[Link]]", "![[Embed]]", "[[a|b; w=2]]", "#tag", "# ", "- ", "1. ", "> ", "```", "---", "|", "*", "_", "`", "$",
    "\\", "[", "](", "]", "&lt;", "&amp;", "&nbsp;", "&#10;", "&#13;", "&bad;", "<", ">", "\n", "\n\n", "\t", "^id",
    "<!-- ", " -->", "<![CDATA[", "]]>", "<?x ?>", "<!DOCTYPE html>", "%%", "é", "漢字", "\u200d", "<!--#x-->", "~~",
)  # fmt: skip
_WORD = re.compile(r"w[0-9]+q")


def make_soup(seed: random.Random, length: int) -> str:
    """A page of `length` parts."""
    parts = []
    for number in range(length):
        kind = seed.random()
        if kind < 0.4:
            parts.append(f"<{seed.choice(TAGS)}{seed.choice(ATTRIBUTES)}{seed.choice(('>', '>', '>', '/>', ''))}")
        elif kind < 0.65:
            parts.append(f"</{seed.choice(TAGS)}>")
        elif kind < 0.85:
            parts.append(f" w{number}q ")
        else:
            parts.append(seed.choice(TEXTS))
    return "".join(parts)


def count_words(text: str) -> Counter[str]:
    """The words that a soup is made of, with how often each stands in a text."""
    return Counter(_WORD.findall(text))


def read_visible(page: str) -> tuple[Counter[str], set[str]]:
    """The words that a page shows by the parser's own account: all but scripts, styles, templates and comments. Then
    the words that may be shown: of the source that stands in for frames."""
    parsed = LexborHTMLParser(page)
    maybe: set[str] = set()
    for name in ("script", "style", "template", "rp", "iframe", "noframes"):
        for node in parsed.css(name):
            if name in ("iframe", "noframes"):
                maybe |= count_words(node.text()).keys()
            node.decompose()
    return count_words(parsed.root.text(separator=" ")) if parsed.root is not None else Counter(), maybe
