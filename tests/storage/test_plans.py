"""How SQLite goes about the statements: the time of none grows with the product of a list and a table."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from remem import storage
from remem.storage.sqlite import Connection, choose

SCHEMA = Path(__file__).parents[2] / "schema.sql"
LIST = "json_each("


def iterate_statements() -> Iterator[tuple[str, str]]:
    """Name and text of each statement of the store that takes a list; none of those on vectors, a table of its own."""
    for module in pkgutil.iter_modules(storage.__path__):
        for name, value in vars(import_module(f"{storage.__name__}.{module.name}")).items():
            if name.isupper() and isinstance(value, str) and LIST in value and "node_vectors" not in value:
                yield f"{module.name}.{name}", value


STATEMENTS = dict(iterate_statements())


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    opened: Connection = choose().connect(":memory:", isolation_level=None)
    opened.executescript(SCHEMA.read_text(encoding="utf-8"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_statement_reads_its_list_once_for_each_row_of_a_table(connection: Connection, name: str) -> None:
    statement = STATEMENTS[name]
    names = dict.fromkeys(re.findall(r":(\w+)", statement))
    values = names or (None,) * statement.count("?")
    loops: dict[int, str] = {}
    for _, parent, _, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values):
        if detail.startswith(("SCAN", "SEARCH")):
            is_list = "VIRTUAL TABLE" in detail and "passages_text" not in detail
            assert not is_list or parent not in loops, f"{detail} within {loops.get(parent)}"
            loops[parent] = detail
