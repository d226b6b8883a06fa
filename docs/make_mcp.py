"""Refreshes mcp.md: the tables of tools and resources, and what each client wants in its configuration.

python docs/make_mcp.py            writes the page
python docs/make_mcp.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import Part, refresh_parts, run
from remem.faces.cli.clients import CLIENTS, write_config
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.families import MEMORY_FAMILY, TREE_FAMILY
from remem.faces.mcp.prompts import ABOUT_RECALL
from remem.faces.mcp.resources import BUDGET, RESOURCES, TEMPLATES
from remem.faces.mcp.tools import Tool

PAGE = TOP / "docs" / "mcp.md"
COMMAND = ("/path/to/python", "-m", "remem", "--db", "/path/to/memory.db", "mcp")


def make_page() -> str:
    """The page with its parts between the marks made anew."""
    parts: dict[str, Part] = {
        "tools": partial(list_tools, TREE_FAMILY),
        "memories": partial(list_tools, MEMORY_FAMILY),
        "resources": list_resources,
        "clients": list_clients,
    }
    return refresh_parts(PAGE, parts)


def list_tools(tools: Sequence[Tool]) -> Iterator[str]:
    """One row a tool: how it is called, what it does."""
    yield "| tool | changes the store | what it is for |\n| --- | --- | --- |"
    for tool in tools:
        call = f"`{tool.name}({', '.join(map(show_parameter, tool.parameters))})`"
        yield f"| {call} | {'yes' if tool.changes else ''} | {tool.about} |"


def show_parameter(parameter: Parameter) -> str:
    """`name`, `name?` where it may be left out, `name=default`."""
    if parameter.default is not None:
        return f"{parameter.name}={json.dumps(parameter.default)}"
    return parameter.name if parameter.required else f"{parameter.name}?"


def list_resources() -> Iterator[str]:
    """One row a resource."""
    yield f"Each is plain text of at most {BUDGET} tokens.\n\n| resource | what it holds |\n| --- | --- |"
    yield from (f"| `{each['uri']}` | {each['description']} |" for each in RESOURCES)
    yield from (f"| `{each['uriTemplate']}` | {each['description']} |" for each in TEMPLATES)
    yield f"\nThe prompt `recall(topic)`: {ABOUT_RECALL[0].lower()}{ABOUT_RECALL[1:]}."


def list_clients() -> Iterator[str]:
    """For each client its file and what goes into it."""
    for name, client in CLIENTS.items():
        yield f"**{name}** — {client.file}\n\n```{client.form}\n{write_config(client, COMMAND)}\n```\n"


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
