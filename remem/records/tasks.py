"""The kinds of background work, as callers see them."""

from __future__ import annotations

from dataclasses import dataclass

TASKS = ("embed", "discover", "expire", "sweep", "backup")
"""Vectors of texts; connections between those that are alike; the end of what expires; a search for work that was
missed; a copy beside the store."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """One kind of background work. `owed` is how many texts wait for it (None: they are not counted), `every` after how
    many seconds it comes round (None: when there is something to do, or when it is asked for). `ran_at` (milliseconds)
    and `outcome` are of the last time that a call had it run; `problem` is what keeps it from being done."""

    name: str
    paused: bool
    active: bool
    owed: int | None
    every: float | None
    ran_at: int | None
    outcome: str
    problem: str
