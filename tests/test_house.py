"""The rules that hold for the whole repository: one schema, SQL that runs, ranks, size of code, clean texts."""

from __future__ import annotations

import ast
import graphlib
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import remem.storage
from remem.storage import sqlite
from remem.storage.vectors import create_table

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "remem"

MAX_MODULE_LINES = 400
MAX_BODY_LINES = 25
SHARE_OF_SHORT_BODIES = 0.9

# The longest entry that fits a module says its rank; "" is the package itself, which hands out the engine.
RANKS: dict[str, float] = {
    "errors": 0,
    "records": 0,
    "keys": 0,
    "limits": 0,
    "lazy": 0,
    "ids": 0,
    "clock": 0,
    "checks": 0,
    "datafiles": 0,
    "scratch": 0,
    "settings": 0,
    "config": 1,
    "redaction": 0.5,  # secrets are out before anything is parsed
    "ingest": 1,
    "matching": 1,
    "sources": 1,
    "graph": 1,
    "embedding": 1,
    "embedding.memory": 2.5,  # vectors in memory, following the file
    "search": 1,
    "usage": 1,
    "versioning": 1,
    "storage": 2,
    "rendering": 2,
    "graph.telling": 2.5,  # what traversals found, with nodes and texts
    "graph.service": 3,
    "graph.memory": 3.5,  # walks in memory, or has graph.service walk
    "search.service": 3,
    "usage.service": 3,
    "usage.cold": 3,
    "background": 3,
    "reading": 3,
    "writing": 4,
    "doctor": 4.5,  # checks and rebuilds with the rules of the write path
    "engine": 5,
    "": 5,
    "benching": 6,  # measures calls of the engine beside reading the files
    "faces.wire": 6,
    "faces.running": 6.5,  # what the processes that serve share
    "faces": 7,
    "faces.serve": 8,
    "__main__": 8,
}

# Ranks whose modules are one unit: they may import each other.
UNITED = (0, 5)

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE)\s")
SQL_ELSEWHERE = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s)", re.S
)


class Unbound(dict[str, None]):
    """Binds NULL to every named parameter."""

    def __missing__(self, key: str) -> None:
        return None


# --- the schema and the SQL -------------------------------------------------------------------------------------------


def open_schema(*scripts: Path) -> Any:
    connection = sqlite.choose().connect(":memory:")
    for script in scripts:
        connection.executescript(script.read_text(encoding="utf-8"))
    return connection


def list_migrations() -> list[Path]:
    return sorted((TOP / "migrations").glob("*.sql"))


def describe_schema(connection: Any) -> list[tuple[str, ...]]:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    return sorted((kind, name, table, " ".join((sql or "").split())) for kind, name, table, sql in rows)


def describe_columns(connection: Any) -> dict[str, list[tuple[object, ...]]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {
        name: connection.execute("SELECT * FROM pragma_table_xinfo(:name) ORDER BY cid", {"name": name}).fetchall()
        for name in names
    }


def dump_rows(connection: Any) -> dict[str, list[tuple[object, ...]]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names}


def test_the_schema_equals_all_migrations_applied_in_order() -> None:
    fresh, migrated = open_schema(TOP / "schema.sql"), open_schema(*list_migrations())
    assert describe_columns(fresh) == describe_columns(migrated)
    assert describe_schema(fresh) == describe_schema(migrated)
    assert dump_rows(fresh) == dump_rows(migrated)


def test_migrations_are_numbered_without_a_gap() -> None:
    names = [path.name for path in list_migrations()]
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", name) for name in names), names
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


def list_statements() -> Iterator[tuple[str, str]]:
    """Every SQL constant of the storage modules with its full name."""
    for info in pkgutil.walk_packages(remem.storage.__path__, "remem.storage."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if name.lstrip("_").isupper() and isinstance(value, str) and SQL.match(value):
                yield f"{info.name}.{name}", value


def explain(connection: Any, statement: str) -> str | None:
    # Rows that come as tuples are written with unnamed parameters; a mixture fails.
    unnamed = (None,) * statement.count("?")
    try:
        connection.execute("EXPLAIN " + statement, unnamed or Unbound()).fetchall()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def test_every_sql_constant_runs_on_a_fresh_schema() -> None:
    connection = open_schema(TOP / "schema.sql")
    sqlite.load_vectors(connection)
    create_table(connection, 4)
    failures = {name: explain(connection, statement) for name, statement in list_statements()}
    assert {name: error for name, error in failures.items() if error} == {}


def test_sql_stands_in_storage_alone_and_is_never_put_together() -> None:
    faults = []
    for name, path in list_modules().items():
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.JoinedStr) and SQL_ELSEWHERE.match(first_text(node)):
                faults.append(f"remem.{name}:{node.lineno} builds SQL with an f-string")
            elif isinstance(node, ast.Constant) and is_foreign_sql(name, node.value):
                faults.append(f"remem.{name}:{node.lineno} holds SQL outside of storage")
    assert faults == []


def first_text(node: ast.JoinedStr) -> str:
    return "".join(part.value for part in node.values if isinstance(part, ast.Constant) and isinstance(part.value, str))


def is_foreign_sql(name: str, value: object) -> bool:
    return not name.startswith("storage") and isinstance(value, str) and SQL_ELSEWHERE.match(value) is not None


# --- modules ----------------------------------------------------------------------------------------------------------


@cache
def list_modules() -> dict[str, Path]:
    """Dotted names below `remem` ("" is the package itself) with their files."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def find_rank(name: str) -> tuple[float, str]:
    """The rank of a module and the unit it belongs to; modules of one unit may import each other."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        entry = ".".join(parts[:length])
        if entry in RANKS:
            unit = ".".join(parts[:2]) if entry == "faces" else entry
            return RANKS[entry], "" if RANKS[entry] in UNITED else unit
    raise KeyError(f"remem.{name} has no rank: give it one in docs/architecture.md and in tests/test_house.py")


def list_imports(name: str, *, at_start: bool = False) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in the file it does so, or just while it is loaded."""
    tree = parse(list_modules()[name])
    for node in tree.body if at_start else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name[6:] for alias in node.names if alias.name.startswith("remem."))
        elif isinstance(node, ast.ImportFrom):
            yield from list_from_import(name, node)


def list_from_import(name: str, node: ast.ImportFrom) -> Iterator[str]:
    assert node.level == 0, f"remem.{name}:{node.lineno} has a relative import"
    base = node.module or ""
    if base != "remem" and not base.startswith("remem."):
        return
    for alias in node.names:
        inner = f"{base}.{alias.name}"[6:]
        if inner in list_modules():
            yield inner
        elif alias.name != "__version__":
            yield base[6:]


def may_import(name: str, imported: str) -> bool:
    rank, unit = find_rank(name)
    other_rank, other_unit = find_rank(imported)
    return other_rank < rank or (other_rank == rank and other_unit == unit)


def test_a_module_imports_only_its_own_package_and_lower_ranks() -> None:
    faults = [
        f"remem.{name} imports remem.{imported}"
        for name in list_modules()
        for imported in sorted(set(list_imports(name)))
        if not is_package_marker(name) and not may_import(name, imported)
    ]
    assert faults == []


def is_package_marker(name: str) -> bool:
    """Whether the module is a package's empty `__init__`, which has no rank of its own."""
    path = list_modules()[name]
    return path.name == "__init__.py" and not path.read_text(encoding="utf-8").strip()


def test_imports_make_no_circle() -> None:
    graph = {name: set(list_imports(name, at_start=True)) - {name} for name in list_modules()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(f"remem.{name}" for name in reversed(error.args[1])))


def list_packages(path: Path) -> Iterator[str]:
    """The top-level packages that a module imports."""
    for node in ast.walk(parse(path)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from (name.split(".")[0] for name in names)


def test_what_the_package_imports_is_declared_with_a_lower_bound() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[^\w-]", line)[0].lower(): line for line in project["dependencies"]}
    imported = {name for path in list_modules().values() for name in list_packages(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"remem"}
    providers = metadata.packages_distributions()
    missing = {name for name in foreign if declared.keys().isdisjoint(map(str.lower, providers.get(name, [name])))}
    assert missing == set()
    assert [line for line in declared.values() if ">=" not in line] == []


def test_the_ranks_are_those_of_the_architecture_page() -> None:
    page = (TOP / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| ([^|]+) \|", page, re.M)
    told = {name: float(rank) for rank, cell in rows for name in list_units(cell)}
    assert told
    assert {name: find_rank(name)[0] for name in told} == told


def list_units(cell: str) -> Iterator[str]:
    """`graph/` `csr` gives graph and graph.csr; `faces/wire` gives faces.wire."""
    package = ""
    for token in re.findall(r"`([\w/]+)`", cell):
        if token.endswith("/"):
            package = token
        name = token if "/" in token else package + token
        yield name.strip("/").replace("/", ".")


# --- size and documentation -------------------------------------------------------------------------------------------


def test_every_module_says_what_it_does_and_stays_short() -> None:
    faults = []
    for name, path in list_modules().items():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_MODULE_LINES:
            faults.append(f"remem.{name} has {lines} lines")
        if not is_package_marker(name) and not ast.get_docstring(parse(path)):
            faults.append(f"remem.{name} has no docstring")
    assert faults == []


def count_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_nine_function_bodies_in_ten_are_short() -> None:
    sizes = {
        f"remem.{name}:{node.lineno} {node.name}": count_body(node)
        for name, path in list_modules().items()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    long = sorted(((lines, where) for where, lines in sizes.items() if lines > MAX_BODY_LINES), reverse=True)
    assert len(long) <= (1 - SHARE_OF_SHORT_BODIES) * len(sizes), long


def list_undocumented(name: str) -> Iterator[str]:
    for node in parse(list_modules()[name]).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if not node.name.startswith("_") and not ast.get_docstring(node):
            yield f"remem.{name}:{node.lineno} {node.name}"


def test_everything_public_has_a_docstring() -> None:
    assert [where for name in list_modules() for where in list_undocumented(name)] == []


# --- texts ------------------------------------------------------------------------------------------------------------

# Put together from halves, so that this file does not hold what it looks for.
PLACES = re.compile("(?<![\\w.~/-])/(?:" + "|".join(["ro" + "ot", "ho" + "me", "wo" + "rk", "Us" + "ers"]) + r")/\w")
HOSTS = re.compile(
    "|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "npm" + r"js\.(?:org|com)", r"crates\." + "io"])
)
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def list_texts() -> Iterator[tuple[Path, str]]:
    """The text files that belong to the repository (tracked or about to be); all files where there is no git."""
    for path in list_files():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def list_files() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=TOP, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.CalledProcessError):
        return [path for path in TOP.rglob("*") if path.is_file() and not is_hidden(path)]
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [TOP / name for name in names if name and (TOP / name).is_file()]


def is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "__pycache__")) for part in path.relative_to(TOP).parts)


def find_lines(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(TOP)}:{number}: {line.strip()[:100]}"
        for path, text in list_texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_text_names_a_place_of_one_machine() -> None:
    assert find_lines(PLACES) == []


def test_no_text_names_a_registry_host() -> None:
    assert find_lines(HOSTS) == []


def test_nothing_is_left_unfinished_in_the_package() -> None:
    assert [line for line in find_lines(UNFINISHED) if line.startswith("remem/")] == []


def test_the_pages_that_people_look_for_first_exist() -> None:
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "docs/architecture.md", "schema.sql", "remem-server.toml"):
        assert (TOP / name).is_file(), name


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    headings = re.findall(r"^## (.+)$", (TOP / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings[0] == "Unreleased"
