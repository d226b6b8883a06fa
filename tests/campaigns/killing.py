"""Processes that are killed with kill -9 at a random instant, and what they said before. Judges nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

TOP = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""How long a process may be silent, in seconds, before it is taken for one that hangs."""
Line: TypeAlias = dict[str, Any]

SETTINGS = "settings.toml"
"""The configuration file beside a store."""


def choose_delay(chance: Random, usual: float) -> float:
    """How long to let a call go on that usually takes so long, in seconds: to any part of it, or just begun."""
    return chance.choice((chance.uniform(0, 0.005), chance.uniform(0, 1.2 * usual), chance.uniform(0.6, 1.2) * usual))


def run_killed(arguments: Sequence[str | Path], wait: Callable[[Line], bool], delay: float) -> list[Line]:
    """Runs `python -m` with the arguments until a line of its output passes `wait` and `delay` more seconds have gone,
    then kills it. Returns what it said, the last line whole. Raises AssertionError where it ends by itself."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}
    process = subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)], cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=kept,
    )  # fmt: skip
    with process:
        guard = threading.Timer(PATIENCE, process.kill)
        guard.start()
        assert process.stdout is not None and process.stderr is not None
        said, passed = [], False
        for told in process.stdout:
            said.append(json.loads(told))
            if wait(said[-1]):
                passed = True
                break
        time.sleep(delay)
        alive = process.poll() is None
        process.kill()
        rest = process.stdout.read()
        errors = process.stderr.read().decode()
        guard.cancel()
    assert passed and alive, f"it ended by itself or hung: {said[-1:]} {errors}"
    return said + [json.loads(line) for line in rest.split(b"\n")[:-1] if line]
