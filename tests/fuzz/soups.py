"""Texts of every format made of pieces of their syntax, in any order; and texts that would take a careless reader long,
as long as one likes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

MARKDOWN = (
    "# ", "## ", "###### ", "====\n", "---\n", "- ", "* ", "1. ", "10) ", "- [ ] ", "> ", ">", "    ", "\t",
    "\n", "\n\n", "\n\n", "```", "~~~", "```py\n", "`", "``", "$", "$$", "*", "**", "_", "~~", "| a | b |\n",
    "|---|:-:|\n", "|", "\\|", "\\", "[[", "]]", "[[a]]", "![[a]]", "[[a|b]]", "[[a#b; w=2]]", "[[; w=]]",
    "[[a; type=caused_by; id=x]]", "[", "](", ")", "[x](a.md)", "[x]: a.md\n", "[^1]", "[^1]: note\n", "<!--",
    "-->", "%%", "<div>", "</div>", "<script>", "</script>", "<knowledge weight=\"2\">", "</knowledge>",
    "<a href='b.md'>", "<br>", "&amp;", "&#0;", "http://x.y", "#tag", "#1", " ^block\n", "- caused_by [[a]]\n",
    "supports:: [[b]]\n", "+++\n", "title: x\n", "aliases: [a]\n", "word ", "word", "é", "e\u0301", "漢字",
    "\U0001f3f3\ufe0f\u200d\U0001f308", "\u200d", "\ufeff", "\xa0", "\u2028", "\x0b", "\x0c", "\x1f", "\x00",
    "\r", "\r\n", ":::", "{#id}", "==", "^", "***\n", "Setext\n", "  \n", ";",
)  # fmt: skip
TOML = ("a = 1\n", "[t]\n", "[[t]]\n", "x = '''", "'''", '"""', "a.b = [", "]", "{", "}", "=", "# c\n", "[[a]]", "\\u")
PIECES = {"markdown": MARKDOWN, "text": MARKDOWN, "html": (*MARKDOWN, "<p>", "<li>", "<td>", "<table>"), "toml": TOML}


def make_soup(chance: Random, format: str, length: int) -> str:
    """A text of `length` pieces; `format` is markdown, text, html or toml."""
    return "".join(chance.choices(PIECES[format], k=length))


HOSTILE: dict[str, Callable[[int], str]] = {
    "quotes": lambda n: "> " * n + "x",
    "lists": lambda n: "".join(" " * min(k, 60) + "- x\n" for k in range(n)),
    "brackets": lambda n: "[" * n,
    "open links": lambda n: "[[" * n,
    "links": lambda n: "[[a|b]] " * n,
    "typed links": lambda n: "- caused_by [[a; w=2]]\n" * n,
    "stars": lambda n: "*a **b " * n,
    "underscores": lambda n: "_" * n + "a",
    "backticks": lambda n: "".join("`" * (k % 60) + "a" for k in range(n // 30 + 1)),
    "dollars": lambda n: "$a " * n,
    "comments": lambda n: "<!-- " * n,
    "percents": lambda n: "%% a " * n,
    "tags": lambda n: "<a " * n,
    "headings": lambda n: "# a\n" * n,
    "nested headings": lambda n: "".join("#" * (k % 6 + 1) + " a\n" for k in range(n)),
    "table": lambda n: "|a|b|\n|-|-|\n" + "|x|y|\n" * n,
    "wide table": lambda n: "|" + "a|" * n + "\n|" + "-|" * n + "\n",
    "references": lambda n: "".join(f"[a{k}]: b.md\n" for k in range(n)) + "[a1]" * n,
    "footnotes": lambda n: "[^a] " * n + "\n\n[^a]: x\n",
    "entities": lambda n: "&amp" * n,
    "one word": lambda n: "a" * n,
    "sentences": lambda n: "Some words. " * n,
    "lines": lambda n: "word\n" * n,
    "hashes": lambda n: "#t " * n,
    "blocks": lambda n: "x ^b\n\n" * n,
    "fields": lambda n: "supports:: [[a]]\n\n" * n,
    "emails": lambda n: "a@b.c " * n,
    "spaces": lambda n: " " * n + "x",
    "newlines": lambda n: "\n" * n + "x",
    "front matter": lambda n: "---\n" + "a: [[b]]\n" * n + "---\n",
    "nested yaml": lambda n: "---\na: " + "[" * min(n, 400) + "\n---\n",
    "graphemes": lambda n: "e" + "\u0301" * n,
    "families": lambda n: "👩‍👩‍👧" * n,
    "scripts without spaces": lambda n: "漢字" * n,
}
"""By name, what makes a text of a size."""
