"""Refreshes the table of notes-and-links.md that tells what becomes of the link forms of other tools: each form is
written into a note, compiled beside the same few notes, and what came of it is put into the table.

python docs/make_conformance.py            writes the page
python docs/make_conformance.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import escape_cell, refresh_parts, run
from remem import Remem
from remem.records import Edge, Node

PAGE = TOP / "docs" / "notes-and-links.md"
NOTES = {
    "River Plan.md": "---\naliases: [The plan]\n---\n# River Plan\n\n## Costs\n\n### Boats\n\nNine boats. ^nine\n",
    "guide/Setup.md": "# Setup guide\n\nText.\n",
    "guide/index.md": "# Guide\n",
    "2026_02_14.md": "- A day.\n",
    "boats___ferries.md": "- Ferries.\n",
    "top.md": "# Top\n",
}
TITLES = ("River Plan", "Setup guide", "Guide", "Top")


class Form(NamedTuple):
    """A form of another tool: as it is written (`⏎` ends a line), and what it does there where that is not the same."""

    written: str
    there: str = ""


FORMS: Mapping[str, tuple[Form, ...]] = {
    "Obsidian": (
        Form("[[River Plan]]"),
        Form("[[river plan]]"),
        Form("[[The plan]]", "an alias is offered while typing, the link is `[[River Plan\\|The plan]]`"),
        Form("[[River Plan|the boats]]"),
        Form("[[guide/Setup]]"),
        Form("[[River Plan.md]]"),
        Form("[[River Plan#Costs]]"),
        Form("[[River Plan#Costs#Boats]]"),
        Form("[[#Own part]]"),
        Form("[[River Plan#^nine]]"),
        Form("![[River Plan#Costs]]"),
        Form("![[boat.png|200]]", "shows the picture"),
        Form("| a |⏎| - |⏎| [[River Plan\\|plan]] |"),
        Form("[text](River%20Plan.md#Costs)"),
        Form("[text](<River Plan.md>)"),
        Form('---⏎up: "[[River Plan]]"⏎---'),
        Form("up:: [[River Plan]]", "the same, and a field for the plug-in Dataview"),
        Form("%% [[River Plan]] %%", "a comment"),
        Form("[[No such note]]", "makes the note when it is clicked"),
    ),
    "Foam": (
        Form("[[River Plan]]⏎⏎[River Plan]: <River Plan.md> \"River Plan\""),
        Form("[[setup]]"),
        Form("[[guide/setup]]"),
        Form("[[setup|how to begin]]"),
        Form("[[River Plan#Costs]]"),
        Form("[[#Own part]]"),
        Form("![[River Plan]]"),
        Form("content-inline![[River Plan#Costs]]"),
        Form("[text](guide/Setup.md)"),
    ),
    "Logseq": (
        Form("[[River Plan]]"),
        Form("[shown]([[River Plan]])"),
        Form("#[[River Plan]]", "a tag, which is a link as well"),
        Form("#boats", "a link to the page *boats*"),
        Form("[[2026-02-14]]", "where the journal has that format of dates"),
        Form("[[boats/ferries]]", "the page in `boats___ferries.md`"),
        Form("related:: [[River Plan]], [[top]]"),
        Form("{{embed [[River Plan]]}}"),
        Form("((6627c9b8-1111-4222-8333-444455556666))", "a link to the block of that id"),
    ),
    "MediaWiki": (
        Form("[[River Plan]]"),
        Form("[[river Plan]]", "the first letter alone counts in either case"),
        Form("[[River_Plan]]"),
        Form("[[River Plan|the boats]]"),
        Form("[[River Plan|]]", "shown without what stands in parentheses"),
        Form("[[River Plan#Costs]]"),
        Form("[[#Own part]]"),
        Form("[[River Plan]]s", "the letters behind belong to the link"),
        Form("'''[[River Plan]]'''"),
        Form("<nowiki>[[River Plan]]</nowiki>", "text"),
        Form("[[Talk:River Plan]]", "the page of that name space"),
        Form("[[File:boat.png]]", "shows the picture"),
        Form("{{River Plan}}", "takes in a template"),
        Form("[https://example.org River Plan]", "a link to the web"),
    ),
    "Markdown": (
        Form("[text](top.md)"),
        Form("[text](./top.md)"),
        Form('[text](top.md "A title")'),
        Form("[text](River%20Plan.md#costs)"),
        Form("[text](#own-part)"),
        Form("[text](guide/)"),
        Form("[text](/top.md)"),
        Form("[text][there]⏎⏎[there]: top.md"),
        Form("[there]⏎⏎[there]: top.md"),
        Form("![text](boat.png)", "shows the picture"),
        Form("[text](https://example.org/top.md)", "a link to the web"),
        Form("<https://example.org/top.md>", "a link to the web"),
        Form("[text](missing.md)", "a link that leads nowhere"),
        Form("`[[River Plan]]`"),
        Form("<!-- [[River Plan]] -->"),
        Form("\\[[River Plan]]"),
    ),
}  # fmt: skip


def make_page() -> str:
    """The page with its table made anew."""
    return refresh_parts(PAGE, {"conformance": list_tables})


def list_tables() -> Iterator[str]:
    """A table for each tool."""
    became = compile_forms([form for forms in FORMS.values() for form in forms])
    for tool, forms in FORMS.items():
        yield f"**{tool}**\n\n| written | becomes | there |\n| --- | --- | --- |"
        yield from (f"| {quote(form.written)} | {next(became)} | {form.there or 'the same'} |" for form in forms)
        yield ""


def quote(written: str) -> str:
    """A form as code in a cell of a table."""
    ticks = "``" if "`" in written else "`"
    space = " " if "`" in written else ""
    cell = escape_cell(written).replace("⏎", " ⏎ ")
    return f"{ticks}{space}{re.sub(' +', ' ', cell)}{space}{ticks}"


def compile_forms(forms: Iterable[Form]) -> Iterator[str]:
    """What became of each form, in order. All are compiled at once, each in a note of its own."""
    notes = {f"form{number}.md": write_note(form.written) for number, form in enumerate(forms)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        for source, text in (NOTES | notes).items():
            (root / source).parent.mkdir(parents=True, exist_ok=True)
            (root / source).write_text(text, encoding="utf-8")
        with Remem.open_sync(Path(folder) / "memory.db") as remem:
            remem.compile(root)
            export = remem.export()
    nodes = {node.id: node for node in export.nodes}
    for source in notes:
        edges = [show_edge(edge, nodes) for edge in export.edges if nodes[edge.source_id].source == source]
        pending = [f"waits for {edge.label}" for edge in export.pending if edge.path == source]
        yield " and ".join(sorted(edges) + pending) or "no link"


def write_note(written: str) -> str:
    """A note that holds a form and a heading of its own."""
    text = written.replace("⏎", "\n")
    return f"{text}\n" if text.startswith("---") else f"# A note\n\n{text}\n\n## Own part\n\nText.\n"


def show_edge(edge: Edge, nodes: Mapping[str, Node]) -> str:
    """Where an edge leads, and whether it is of another type, or comes of a name without a link."""
    target = nodes[edge.target_id]
    place = "this note" if nodes[edge.source_id].source == target.source else target.source
    part = "" if target.kind == "document" or target.label in TITLES else f" › {target.label}"
    if edge.origin == "mentioned":
        return f"no link, but names {place}{part}"
    kind = "" if edge.relationship_type == "references" else f", {edge.relationship_type}"
    return f"→ {place}{part}{kind}"


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
