"""Refreshes the list of methods in python.md: signatures as the code has them, first sentences of docstrings.

python docs/make_python.py            writes the page
python docs/make_python.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import escape_cell, refresh_parts, run
from remem import Remem
from remem.engine.sync import RememSync

PAGE = TOP / "docs" / "python.md"
SENTENCE = re.compile(r"(?<=[.)`\w])\.(?= [A-Z`]|$)|: (?=- )")
FAMILIES = (
    ("Notes and folders", ("NoteCalls", "WatchCalls")),
    ("Reading and the graph", ("GraphCalls", "PictureCalls", "ConnectionCalls")),
    ("Memories", ("MemoryCalls",)),
    ("Search", ("SearchCalls",)),
    ("Changing notes, versions", ("EditCalls", "VersionCalls")),
    ("Background work", ("WorkCalls", "TaskCalls")),
    ("The store", ("UpkeepCalls", "TransferCalls", "ImportCalls", "MarkCalls", "KeptCalls", "Remem")),
)


def make_page() -> str:
    """The page with its list of methods made anew."""
    return refresh_parts(PAGE, {"methods": list_families})


def list_families() -> Iterator[str]:
    """A table for each family of calls, in the order of the code. Raises ValueError where a method is in none."""
    methods = {name: getattr(Remem, name) for name in vars(RememSync) if not name.startswith("_")}
    left = {method.__qualname__.partition(".")[0] for method in methods.values()}
    for title, classes in FAMILIES:
        left -= {*classes}
        yield f"### {title}\n\n| method | |\n| --- | --- |"
        for name, method in methods.items():
            if method.__qualname__.partition(".")[0] in classes:
                yield f"| `{escape_cell(show_signature(name, method))}` | {escape_cell(tell_about(method))} |"
        yield ""
    if left:
        raise ValueError(f"no family of docs/make_python.py holds {', '.join(sorted(left))}")


def show_signature(name: str, method: Any) -> str:
    """`name(parameter, other=default)`, without types: editors show them."""
    parts = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        mark = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        given = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{mark}{parameter.name}{given}")
    return f"{name}({', '.join(parts)})"


def tell_about(method: Any) -> str:
    """The first sentence of what a method says of itself."""
    paragraph = " ".join(inspect.getdoc(method).split("\n\n")[0].split())  # type: ignore[union-attr]
    return SENTENCE.split(paragraph)[0].rstrip(".:") + "."


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
