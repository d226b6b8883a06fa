"""The command line: `remem COMMAND`. Holds the entry point alone; `app` has the commands."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Runs the command line of this process; returns its exit status."""
    gc.set_threshold(50_000, 20, 20)  # a short process: by default a tenth of its time goes into collecting
    try:
        from remem.faces.cli.app import run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return run(sys.argv[1:])
