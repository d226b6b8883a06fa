"""Makes all of the documentation that is made, one generator after the other.

python docs/make_docs.py            writes what is stale
python docs/make_docs.py --check    says what is stale (exit status 1)
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GENERATORS = ("cli", "config", "rest", "mcp", "python", "schema", "conformance", "walk", "sessions")


def main(arguments: list[str]) -> int:
    """Runs all generators; 1 where one found something stale or failed."""
    stale = 0
    for name in GENERATORS:
        done = subprocess.run([sys.executable, str(DOCS / f"make_{name}.py"), *arguments], check=False)
        if done.returncode:
            print(f"stale: what docs/make_{name}.py makes", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
