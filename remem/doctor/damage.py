"""What the doctor says of damaged pages. It mends none (storage/salvage.py)."""

from __future__ import annotations

from remem.records import Finding
from remem.storage.salvage import Damage

FILE = "file"
"""The check that finds damaged pages."""


def tell_damage(damage: Damage) -> Finding:
    """A table with damaged pages, and what can be done."""
    what = f"table {damage.table} is damaged" if damage.table else "pages of the file are damaged or belong to nothing"
    remedy = "`remem doctor --fix` makes it anew" if damage.mendable else "rows of it cannot be read: restore a backup"
    return Finding(FILE, True, f"{what} ({damage.problem}); {remedy}")
