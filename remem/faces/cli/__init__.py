"""The command line: `remem COMMAND`. Holds the entry points alone; `app` has the commands."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

SERVERS = ("mcp", "serve")
WITH_VALUE = ("--db", "--config")


def main() -> int:
    """Runs the command line of this process; returns its exit status."""
    return start(sys.argv[1:])


def serve() -> int:
    """The same for `remem-server`, which is `remem serve`."""
    return start(["serve", *sys.argv[1:]])


def start(arguments: Sequence[str]) -> int:
    """Runs one command line; returns its exit status."""
    gc.set_threshold(50_000, 20, 20)  # a short process: by default a tenth of its time goes into collecting
    try:
        if find_command(arguments) in SERVERS:
            leave_on_signals()
        from remem.faces.cli.app import run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return run(arguments)


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
    import signal  # other commands do not pay for it

    from remem.faces.running.ends import END_SIGNALS

    for number in END_SIGNALS:
        signal.signal(number, lambda number, frame: os._exit(0))
