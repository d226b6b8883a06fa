"""The command line: `remem COMMAND`. Holds the entry points alone; `app` has the commands."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

SERVERS = ("mcp", "serve")
WITH_VALUE = ("--db", "--config")
INTERRUPTED, OF_SIGNALS = 130, 128
"""The exit status after Ctrl+C, and what a signal's number is added to."""


def main() -> int:
    """Runs the command line of this process; returns its exit status."""
    return start(sys.argv[1:])


def serve() -> int:
    """The same for `remem-server`, which is `remem serve`."""
    return start(["serve", *sys.argv[1:]])


def start(arguments: Sequence[str]) -> int:
    """Runs one command line; returns its exit status."""
    gc.set_threshold(50_000, 20, 20)  # a short process: by default a tenth of its time goes into collecting
    taken: list[int] = []
    try:
        if find_command(arguments) in SERVERS:
            leave_on_signals()
        else:
            interrupt_on_signals(taken)
        from remem.faces.cli.app import run

        status = run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = INTERRUPTED
    return OF_SIGNALS + taken[0] if taken and status == INTERRUPTED else status


def find_command(arguments: Sequence[str]) -> str | None:
    """The command of a line, before anything is loaded that could read it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in WITH_VALUE:
            next(rest, None)
        elif not argument.startswith("-"):
            return argument
    return None


def leave_on_signals() -> None:
    """Ends the process with status 0 on a signal to end: a server that was not asked anything has nothing to lose.
    Holds until the server is loaded, which takes over."""
    import signal

    from remem.faces.running.ends import END_SIGNALS

    for number in END_SIGNALS:
        signal.signal(number, lambda number, frame: os._exit(0))


def interrupt_on_signals(taken: list[int]) -> None:
    """Has the other signals to end do what Ctrl+C does, so that a command takes away what it must not leave; `taken`
    gets their numbers. One that is ignored, as under `nohup`, stays so."""
    import signal

    from remem.faces.running.ends import END_SIGNALS

    def interrupt(number: int, frame: FrameType | None) -> None:
        taken.append(number)
        act = signal.getsignal(signal.SIGINT)  # that of an event loop, where one runs
        if callable(act):
            act(number, frame)
        else:
            raise KeyboardInterrupt

    for number in END_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, interrupt)
