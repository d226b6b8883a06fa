"""`python -m remem`: the command line."""

from __future__ import annotations

import sys

from remem.faces.cli import main

if __name__ == "__main__":
    sys.exit(main())
