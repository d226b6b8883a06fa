"""What the generators of pages share: writing a page or saying that it is stale, the parts between marks, cells of
tables. It knows nothing of what a page says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

Part: TypeAlias = Callable[[], Iterable[str]]
"""Makes the lines of a part."""

PART = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->)", re.S)


def run(page: Path, make_page: Callable[[], str], arguments: list[str]) -> int:
    """Writes the page, or with `--check` tells whether it is stale; returns the exit status."""
    made = make_page()
    if "--check" not in arguments:
        page.write_text(made, encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == made:
        return 0
    print(f"docs/{page.name} is stale")
    return 1


def refresh_parts(page: Path, parts: Mapping[str, Part]) -> str:
    """The text of a page with its parts made anew, each between `<!-- name -->` and `<!-- /name -->`. What stands
    between other marks stays."""

    def refresh(found: re.Match[str]) -> str:
        if found[2] not in parts:
            return found[0]
        lines = "\n".join(parts[found[2]]()).rstrip("\n")
        return f"{found[1]}\n{lines}\n\n{found[3]}"

    return PART.sub(refresh, page.read_text(encoding="utf-8"))


def escape_cell(text: str) -> str:
    """Text as a cell of a table."""
    return text.replace("|", "\\|")
