"""How folders are watched, as callers see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

WatchPhase: TypeAlias = Literal["starting", "watching", "compiling", "missing", "failed", "dropped", "stopped"]
WATCH_PHASES: tuple[WatchPhase, ...] = get_args(WatchPhase)


@dataclass(frozen=True, slots=True)
class WatchState:
    """One folder that is watched by this process. `state` is starting, watching, compiling, missing (the folder is not
    there; it is waited for), failed (the last compile failed; it is tried again), dropped (the root is not in the store
    any more), stopped. `native` says that the system tells of changes; else the folder is looked through now and then.

    `pending` counts changed paths that no compile has seen yet, `compiles` those that were made. `compiled_at` and
    `seen_at` (the folder was looked at last) are milliseconds since 1970. `problem` is what went wrong last, "" once a
    compile has gone well. `snapshot` is that of the last compile that changed anything.
    """

    root: str
    path: str
    state: WatchPhase
    native: bool
    pending: int
    compiles: int
    compiled_at: int | None
    seen_at: int | None
    snapshot: int | None
    problem: str
