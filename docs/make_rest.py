"""Refreshes rest.md: the tables of operations and errors, made of what the service itself is made of.

python docs/make_rest.py            writes the page
python docs/make_rest.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import escape_cell, refresh_parts, run
from remem import errors
from remem.faces.rest.operations import Operation
from remem.faces.rest.routes import OPERATIONS
from remem.faces.rest.tables import Row, list_parameters
from remem.faces.wire import REPORTS

PAGE = TOP / "docs" / "rest.md"


def make_page() -> str:
    """The page with its parts between the marks made anew."""
    return refresh_parts(PAGE, {"operations": list_operations, "errors": list_errors})


def list_operations() -> Iterator[str]:
    """A heading for each operation, what it does, what it takes."""
    for operation in OPERATIONS:
        yield f"### `{operation.method} {operation.path}`\n\n{operation.about} {tell_answer(operation)}"
        rows = list_parameters(operation)
        if rows:
            yield "\n| name | in | value | default | |\n| --- | --- | --- | --- | --- |"
            yield from map(show_row, rows)
        yield ""


def tell_answer(operation: Operation) -> str:
    """What comes back."""
    other = f" or {', '.join(map(str, operation.errors))}" if operation.errors else ""
    return f"→ {operation.status}{other}" + (" (no key needed)" if operation.open else "")


def show_row(row: Row) -> str:
    """A row of a table."""
    return "| " + " | ".join([f"`{row.name}`", *map(escape_cell, row[1:])]) + " |"


def list_errors() -> Iterator[str]:
    """One row a code."""
    yield "| code | status | |\n| --- | --- | --- |"
    classes = [error for error in list_classes(errors.RememError) if error.__module__ == errors.__name__]
    abouts = {error.code: error.__doc__ or "" for error in classes}
    for code, report in sorted(REPORTS.items(), key=lambda item: (item[1].http_status, item[0])):
        about = " ".join(abouts[code].split())
        yield f"| `{code}` | {report.http_status} | {about} |"


def list_classes(base: type[errors.RememError]) -> Iterator[type[errors.RememError]]:
    """An error and all that come of it."""
    yield base
    for inner in base.__subclasses__():
        yield from list_classes(inner)


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
