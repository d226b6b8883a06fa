"""Agent memory in one SQLite file: notes and facts as one weighted graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.engine import Remem as Remem

__all__ = ["Remem", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`Remem` is imported when it is first used: `remem --version` needs none of it."""
    if name == "Remem":
        from remem.engine import Remem

        return Remem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
