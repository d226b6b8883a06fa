"""Who has a claim: a process of one machine, by a name that tells others there whether it lives. Holds no claim."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from uuid import uuid4

PROC = Path("/proc")
ENDED = "ZX"
"""States of a process that has ended and was not waited for yet."""


def make_owner() -> str:
    """A name that no other claimant has: process, its start, machine, and what tells several of one process apart.
    Where the system does not tell these, others see by the time alone that the claimant is gone."""
    machine, pid = _find_machine(), os.getpid()
    return f"{pid}.{_find_start(pid) or 0}.{machine or '-'}.{uuid4().hex}"


def is_gone(owner: str) -> bool:
    """Whether the process of that name has certainly ended: it ran on this machine since it was started, and there is
    none of its number now, or one that began later."""
    parts = owner.split(".")
    machine = _find_machine()
    if len(parts) != 4 or not machine or parts[2] != machine or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return False
    pid, start = int(parts[0]), int(parts[1])
    if not 0 < pid < 1 << 31:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # there is one, of somebody else
        pass
    found = _find_start(pid)
    return found is not None and start > 0 and found != start


@cache
def _find_machine() -> str:
    """What tells the machine as it was started last apart from others, and containers on it; "" where nothing does."""
    with suppress(OSError):
        booted = (PROC / "sys/kernel/random/boot_id").read_bytes()
        space = os.readlink(PROC / "self/ns/pid")  # numbers of processes hold within it
        return blake2b(booted + space.encode(), digest_size=8).hexdigest()
    return ""


def _find_start(pid: int) -> int | None:
    """When a process began, in the system's own ticks since the start of the machine; 0 where it has ended already,
    None where it cannot be seen."""
    try:
        told = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = told[told.rindex(")") + 2 :].split()
        return 0 if state in ENDED else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
