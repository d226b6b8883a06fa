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

from remem import Remem  # noqa: E402
from remem.engine.sync import RememSync  # noqa: E402

PAGE = TOP / "docs" / "python.md"
PART = re.compile(r"(<!-- methods -->\n).*?(<!-- /methods -->)", re.S)
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


def make_page(page: str) -> str:
    """The page with its list of methods made anew."""
    return PART.sub(lambda found: found[1] + "\n" + "\n".join(list_families()) + "\n" + found[2], page)


def list_families() -> Iterator[str]:
    """A table for each family of calls, in the order of the code. Raises ValueError where a method is in none."""
    methods = {name: getattr(Remem, name) for name in vars(RememSync) if not name.startswith("_")}
    left = {method.__qualname__.partition(".")[0] for method in methods.values()}
    for title, classes in FAMILIES:
        left -= {*classes}
        yield f"### {title}\n\n| method | |\n| --- | --- |"
        for name, method in methods.items():
            if method.__qualname__.partition(".")[0] in classes:
                yield f"| `{escape(show_signature(name, method))}` | {escape(tell_about(method))} |"
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


def escape(text: str) -> str:
    """Text as a cell of a table."""
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Writes the page, or with `--check` tells whether it is stale."""
    old = PAGE.read_text(encoding="utf-8")
    page = make_page(old)
    if "--check" in arguments:
        return int(page != old)
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
