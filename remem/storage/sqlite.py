"""Chooses the SQLite that Remem runs on and loads sqlite-vec into connections. Opens no store.

Nothing else in the package imports `sqlite3` or `pysqlite3` at run time: two copies of SQLite in one process would
defeat each other's file locks.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from remem.errors import StoreError

if TYPE_CHECKING:
    from sqlite3 import Connection as Connection
    from sqlite3 import Error as Error
    from sqlite3 import IntegrityError as IntegrityError
    from sqlite3 import OperationalError as OperationalError
else:
    Connection = Any

MIN_SQLITE = (3, 43, 0)
"""The first SQLite whose FTS5 can delete from a contentless table."""

_CANDIDATES = ("sqlite3", "pysqlite3.dbapi2")
_LAZY_NAMES = frozenset({"Error", "IntegrityError", "OperationalError"})
_CREATE_FTS = "CREATE VIRTUAL TABLE probe USING fts5(text, content = '', contentless_delete = 1)"


@dataclass(frozen=True, slots=True)
class Choice:
    """The DB-API module, and why it has no vectors (None where it has)."""

    module: ModuleType
    vectors_problem: str | None


def __getattr__(name: str) -> Any:
    """The exception classes are those of the chosen module, which is looked up on first use."""
    if name in _LAZY_NAMES:
        return getattr(choose(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def choose() -> ModuleType:
    """The DB-API module to use: the standard one where it is new enough and loads sqlite-vec, else pysqlite3.

    Where neither loads sqlite-vec, the first that is new enough. Raises StoreError where none is.
    """
    return _chosen().module


def vectors_problem() -> str | None:
    """Why vectors cannot be used here, and the remedy; None where they can. All else works without them."""
    return _chosen().vectors_problem


def load_vectors(connection: Connection) -> None:
    """Makes `vec0` and the `vec_` functions known to a connection. Does nothing where there is a `vectors_problem`.

    Closes extension loading again, so that no SQL text can load anything.
    """
    path = _vectors_path()
    if path is not None and vectors_problem() is None:
        _load_extension(connection, path)


def pick(candidates: Sequence[str], vectors: str | None) -> Choice:
    """The first of the modules named that does all, else the first that does all but vectors.

    `vectors` is the path of the sqlite-vec library. Raises StoreError, with what is wrong with
    each, where none will do.
    """
    usable: list[Choice] = []
    reasons: list[str] = []
    for name in candidates:
        try:
            module = importlib.import_module(name)
        except ImportError:
            reasons.append(f"{name} is not installed")
            continue
        if (unfit := find_unfitness(module)) is not None:
            reasons.append(f"{name}: {unfit}")
            continue
        problem = find_vectors_problem(module, vectors)
        if problem is None:
            return Choice(module, None)
        usable.append(Choice(module, problem))
    if usable:
        return usable[0]
    needed = ".".join(map(str, MIN_SQLITE[:2]))
    raise StoreError(
        f"Remem needs SQLite {needed} or newer with FTS5 ({'; '.join(reasons)}). "
        "Install the package pysqlite3, or use a Python that was built with a newer SQLite."
    )


def find_unfitness(module: Any) -> str | None:
    """What keeps a DB-API module from being used at all, None where nothing does."""
    if tuple(module.sqlite_version_info) < MIN_SQLITE:
        return f"its SQLite {module.sqlite_version} is too old"
    connection = module.connect(":memory:")
    try:
        connection.execute(_CREATE_FTS)
    except module.Error as error:
        return f"its SQLite has no usable FTS5 ({error})"
    finally:
        connection.close()
    return None


def find_vectors_problem(module: Any, path: str | None) -> str | None:
    """Why a DB-API module cannot use the sqlite-vec library at `path`, with the remedy; None where it can."""
    if path is None:
        return "sqlite-vec is not installed. Install the package sqlite-vec to use vectors."
    if not hasattr(module.Connection, "enable_load_extension"):
        return (
            f"{module.__name__} of this Python cannot load SQLite extensions. "
            "Install the package pysqlite3, or use a Python built with loadable extensions, to use vectors."
        )
    connection = module.connect(":memory:")
    try:
        _load_extension(connection, path)
    except module.Error as error:
        return (
            f"{module.__name__} cannot load sqlite-vec ({error}). Install the package sqlite-vec again to use vectors."
        )
    finally:
        connection.close()
    return None


@cache
def _chosen() -> Choice:
    return pick(_CANDIDATES, _vectors_path())


@cache
def _vectors_path() -> str | None:
    # `import sqlite_vec` would import numpy for its type hints: 0.1 s for a path.
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return None
    return os.path.join(next(iter(spec.submodule_search_locations)), "vec0")


def _load_extension(connection: Any, path: str) -> None:
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)
