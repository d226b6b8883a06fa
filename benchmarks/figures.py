"""How benchmarks print: a figure beside its bound, medians with 90th percentiles, what the run was made on."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from importlib import metadata

from remem.storage.sqlite import choose

OVERRUN = "MISSED"
"""Stands in a line whose figure does not hold its bound."""


def judge(value: float, bound: float, *, least: bool = False) -> str:
    """The bound of a figure, and whether it holds; `least`: the figure must reach it."""
    held = value >= bound if least else value <= bound
    return f"bound {'>=' if least else '<='} {bound:g}  {'ok' if held else OVERRUN}"


def say(what: str, value: float, unit: str, bound: float | None = None, *, least: bool = False, note: str = "") -> None:
    """One line: the figure, its bound, and whether it holds."""
    held = "" if bound is None else judge(value, bound, least=least)
    print(f"{what:<56} {value:10.3f} {unit:<6} {held}{'  ' + note if note else ''}".rstrip(), flush=True)


def find_p90(values: Sequence[float]) -> float:
    """The 90th percentile: the smallest value that nine tenths do not exceed."""
    return sorted(values)[-(-len(values) * 9 // 10) - 1]


def say_spread(what: str, values: Sequence[float], unit: str, bound: float | None = None, note: str = "") -> None:
    """The median of some figures against its bound, with their 90th percentile."""
    more = f"; {note}" if note else ""
    say(what, statistics.median(values), unit, bound, note=f"p90 {find_p90(values):.3f}{more}")


def tell_run(*packages: str) -> None:
    """One line on the machine, the versions and the moment; packages that are not installed are left out."""
    versions = [f"{name} {version}" for name in packages if (version := find_version(name))]
    parts = [f"Python {platform.python_version()}", f"SQLite {choose().sqlite_version}", *versions]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{', '.join(parts)}; {os.cpu_count()} cores{load}, {time.strftime('%Y-%m-%d')}; {' '.join(sys.argv[1:])}")


def find_version(package: str) -> str:
    """The version of an installed package, "" where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
