"""The compact notation of parsed trees that the case files use, and the reader of these files."""

from __future__ import annotations

import re
from pathlib import Path

from remem.records import ParsedDocument, ParsedLink, ParsedNode

DATA = Path(__file__).parent.parent / "data"
_CASE = re.compile(r"^## ([^\n]+)\n\n~~~~~~~~\n(.*?)\n~~~~~~~~\n\n~~~~~~~~\n(.*?)\n~~~~~~~~$", re.MULTILINE | re.DOTALL)


def read_cases(name: str) -> list[tuple[str, str, str]]:
    """The cases of a file in `tests/data`: (name, input, expected)."""
    return _CASE.findall((DATA / name).read_text(encoding="utf-8"))


def describe_tree(document: ParsedDocument) -> str:
    """One line for each node but the document, then one for each problem."""
    depths = [0] * len(document.nodes)
    lines = []
    for index, node in enumerate(document.nodes):
        depths[index] = depths[node.parent] + 1 if index else -1
        if index:
            lines.append("  " * depths[index] + describe_node(node))
    lines += [f"! {problem.line} {problem.code}" for problem in document.diagnostics]
    return "\n".join(lines)


def describe_node(node: ParsedNode) -> str:
    """Kind, level, piece, content, block ids, tags and links of one node."""
    head = node.kind + (str(node.level) if node.level else "") + (f"/{node.piece}" if node.piece else "")
    parts = [head, node.content.replace("\n", "⏎") or f"({node.label})"]
    parts += [f"^{name}" for name in node.blocks]
    parts += [f"#{tag}" for tag in node.tags]
    parts += [f"→ {describe_link(link)}" for link in node.links]
    return " ".join(parts)


def describe_link(link: ParsedLink) -> str:
    """Form, target and what is not at its default."""
    target = link.label + (f"#{link.anchor}" if link.anchor else "")
    extras = [link.type] if link.type != "references" else []
    extras += [f"w={link.weight:g}"] if link.weight != 1.0 else []
    extras += [f"shown={link.shown}"] if link.shown else []
    return f"{link.form} {target}" + (f" ({', '.join(extras)})" if extras else "")
