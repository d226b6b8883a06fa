"""Writes schema.md: the tables of schema.sql with their columns and indexes, and what the comments there say of them.

python docs/make_schema.py            writes the page
python docs/make_schema.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import run

SCHEMA = TOP / "schema.sql"
PAGE = TOP / "docs" / "schema.md"
INTRODUCTION = """# Schema

A store is one SQLite file (3.43 or newer, WAL). New ones are made of `schema.sql`; the files in `migrations/` bring
older ones up to it, after a copy was made beside the file. Any SQLite can read a store (`node_vectors` needs
sqlite-vec), and `remem doctor` checks what SQL alone cannot. Write to it by Remem only: names, links, edges, passages,
history and state hashes have to agree.

What is truth and what follows from it stands in [architecture.md](architecture.md). Weights are whole numbers in
millionths, times are milliseconds since 1970 in UTC, a `key` is a number that is never given to another node.

This page is made by `python docs/make_schema.py`; a test fails when it is stale.
"""
STATEMENT = re.compile(r"^((?:-- [^\n]*\n)*?)(?:-- )?CREATE (.+?);\n", re.M | re.S)
TABLE = re.compile(r"(?:VIRTUAL )?TABLE (\w+)(?: USING (\w+))? ?\((.*)\)([\w ,]*)$", re.S)
INDEX = re.compile(r"(?:UNIQUE )?INDEX (\w+) ON (\w+) (.*)$", re.S)
TRIGGER = re.compile(r"TRIGGER (\w+) (AFTER [\w ,]+?) ON (\w+)\b")
COLUMN = re.compile(r"(\w+) ([A-Z]+)\b ?(.*)$")


def make_page() -> str:
    """The whole page."""
    page = "\n".join([INTRODUCTION, *list_tables(SCHEMA.read_text(encoding="utf-8"))])
    return re.sub(r"\n{3,}", "\n\n", page).rstrip("\n") + "\n"


def list_tables(schema: str) -> Iterator[str]:
    """A section for each table, with its indexes and triggers."""
    statements = [(match[1], match[2]) for match in STATEMENT.finditer(drop_bodies(schema))]
    indexes = [found for _, text in statements if (found := INDEX.match(text))]
    triggers = [found for _, text in statements if (found := TRIGGER.match(text))]
    for comment, text in statements:
        table = TABLE.match(text)
        if table is None:
            continue
        yield f"## {table[1]}\n"
        if comment:
            yield " ".join(line.removeprefix("-- ") for line in comment.splitlines()) + "\n"
        yield from show_table(table)
        yield from (f"- index `{each[1]}` on `{' '.join(each[3].split())}`" for each in indexes if each[2] == table[1])
        yield from (f"- trigger `{each[1]}`: {each[2].lower()}" for each in triggers if each[3] == table[1])
        yield ""


def drop_bodies(schema: str) -> str:
    """The schema without what triggers do: semicolons stand in it. Rows that it inserts are left out too."""
    schema = re.sub(r"^INSERT INTO .*?;\n", "", schema, flags=re.M | re.S)
    return re.sub(r"^(CREATE TRIGGER [^\n]*)\n.*?^END;$", r"\1;", schema, flags=re.M | re.S)


def show_table(table: re.Match[str]) -> Iterator[str]:
    """A row for each column, then what holds for the table as a whole."""
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", table[3])]
    columns = [found for part in parts if (found := COLUMN.match(part)) and not part.startswith(("PRIMARY", "UNIQUE"))]
    if table[2]:
        yield f"Virtual, by `{table[2]}`: `{', '.join(parts)}`\n"
        return
    yield "| column | type | |\n| --- | --- | --- |"
    yield from (f"| `{name}` | {kind} | {rest} |" for name, kind, rest in (found.groups() for found in columns))
    yield ""
    yield from (f"- `{part}`" for part in parts if part.startswith(("PRIMARY KEY", "UNIQUE")))


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
