"""What `remem bench` measures: tasks, and what each way to do one takes. Tokens are cl100k, times milliseconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do a task: medians and 90th percentiles over its cases. `found` is the share of cases (0 to 1) in
    which it led to what was looked for, None where nothing can be missed."""

    name: str
    tokens: int
    tokens_p90: int
    ms: float
    ms_p90: float
    found: float | None = None


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """A task and the ways to do it, Remem's first. `cases` is how often it was done."""

    name: str
    told: str
    cases: int
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """What was measured on copies of `folders`. `seconds` is the time of the first compile, `store_bytes` the size of
    its store, `left_out` says which tasks were not measured and why, `method` how the others were."""

    folders: tuple[str, ...]
    files: int
    bytes: int
    tokens: int
    nodes: int
    seconds: float
    store_bytes: int
    tasks: tuple[MeasuredTask, ...]
    left_out: tuple[str, ...]
    method: tuple[str, ...]
