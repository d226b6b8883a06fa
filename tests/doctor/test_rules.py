"""The rules of the doctor take time in proportion to the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.doctor.service import RULES
from remem.storage.sqlite import Connection, choose

SCHEMA = Path(__file__).resolve().parents[2] / "schema.sql"
SMALL = ("json_each", "t ", "g ")
"""What is scanned for each row of another table: the tags of one memory."""


@pytest.fixture(scope="module")
def connection() -> Connection:
    opened: Connection = choose().connect(":memory:", isolation_level=None)
    opened.executescript(SCHEMA.read_text(encoding="utf-8"))
    return opened


@pytest.mark.parametrize(
    "statement", [statement for *_, statement in RULES], ids=[f"{n} {r[1]}" for n, r in enumerate(RULES)]
)
def test_no_rule_looks_through_a_table_for_each_row_of_another(connection: Connection, statement: str) -> None:
    above: dict[int, tuple[int, str]] = {}
    for number, parent, _, detail in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
        above[number] = (parent, detail)
    for parent, detail in above.values():
        if detail.startswith("SCAN") and not detail.removeprefix("SCAN ").startswith(SMALL):
            while parent:
                parent, around = above[parent]
                assert not around.startswith("CORRELATED"), detail
