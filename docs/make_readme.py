"""Runs the sessions of README.md and docs/memories.md and puts what they print into the pages. It changes nothing else
of them.

A session is a console block between the lines `<!-- session -->` and `<!-- /session -->`. Its lines that begin with
`$ remem` are run one after the other, all sessions of a page in one folder that holds a copy of the sample notes as
`gangway`.

    python docs/make_readme.py            writes the pages
    python docs/make_readme.py --check    says whether one is stale (exit status 1)
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PAGES = (TOP / "README.md", TOP / "docs" / "memories.md")
SESSION = re.compile(r"(<!-- session -->\n```console\n)(.*?)(```\n<!-- /session -->)", re.S)
DURATION = re.compile(r"\d+(?:\.\d+)? ?(?:ms|s)\b")
PROMPT = "$ remem"
WIDTH = 100


def refresh_page(text: str, run: Callable[[str], str]) -> str:
    """The page with the output of every session made anew. `run` takes a command line and gives what it prints."""

    def refresh(match: re.Match[str]) -> str:
        return match[1] + "\n".join(refresh_session(match[2], run)) + match[3]

    return SESSION.sub(refresh, text)


def refresh_session(body: str, run: Callable[[str], str]) -> list[str]:
    """One block for each command of a session: the line as typed, then what it prints."""
    commands = [line for line in body.splitlines() if line.startswith(PROMPT)]
    return [f"{line}\n{clean_output(run(line.removeprefix('$ ')))}" for line in commands]


def clean_output(printed: str) -> str:
    """The lines without white space at their ends, and without empty lines at the end of all."""
    lines = [line.rstrip() for line in printed.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def hide_durations(text: str) -> str:
    """The page as far as it is the same on every run."""
    return SESSION.sub(lambda match: DURATION.sub("0 s", match[0]), text)


def run_command(command: str, folder: Path) -> str:
    """Runs one command line in a folder; what it prints on both streams. Raises CalledProcessError where it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}
    environment |= {"NO_COLOR": "1", "COLUMNS": str(WIDTH), "PYTHONPATH": str(TOP), "PYTHONIOENCODING": "utf-8"}
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        arguments, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.stdout.decode("utf-8")


def make_page(text: str) -> str:
    """The page with the output of the program as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(TOP / "remem" / "samples", Path(folder) / "gangway")
        return refresh_page(text, lambda command: run_command(command, Path(folder)))


def main(arguments: list[str]) -> int:
    """Writes the pages, or with `--check` tells whether one is stale."""
    stale = 0
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = make_page(before)
        if "--check" not in arguments:
            page.write_text(after, encoding="utf-8")
        elif hide_durations(before) != hide_durations(after):
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
