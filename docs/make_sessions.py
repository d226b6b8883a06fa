"""Runs the sessions of README.md and of the pages of docs/ and puts what they print into the pages. It changes nothing
else of them.

A session is a console block between the lines `<!-- session -->` and `<!-- /session -->`. Lines that begin with `$ `
are run one after the other, all sessions of a page in one folder that holds everything in docs/examples and, unless
the page makes it itself (`remem demo --copy`), a copy of the sample notes as `gangway`. `$ remem` runs in this process,
anything else in a shell.

    python docs/make_sessions.py            writes the pages
    python docs/make_sessions.py --check    says whether one is stale (exit status 1)
"""

from __future__ import annotations

import contextlib
import io
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
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from remem.faces.cli.app import run

EXAMPLES = TOP / "docs" / "examples"
SESSION = re.compile(r"(<!-- session -->\n```console\n)(.*?)(```\n<!-- /session -->)", re.S)
PASSING = re.compile(
    r"\d+(?:\.\d+)? ?(?:ms|s)\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?|\d{8}T\d{6}Z|\d[\d ]* (?:bytes|checks)\b"
)
"""What is another on each run or in each build: durations, instants, sizes, how much the doctor checks."""
PROMPT = "$ "
COPYING = f"{PROMPT}remem demo --copy gangway"
COMMAND = 'remem() { python -m remem "$@"; }; '
"""What a shell is told first: the program is that of this checkout, installed or not."""
WIDTH = 100


def list_pages() -> list[Path]:
    """The pages that hold a session."""
    pages = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
    return [page for page in pages if SESSION.search(page.read_text(encoding="utf-8"))]


def refresh_page(text: str, run: Callable[[str], str]) -> str:
    """The page with the output of every session made anew. `run` takes a command line and gives what it prints."""

    def refresh(match: re.Match[str]) -> str:
        return match[1] + "\n".join(refresh_session(match[2], run)) + match[3]

    return SESSION.sub(refresh, text)


def refresh_session(body: str, run: Callable[[str], str]) -> list[str]:
    """One block for each command of a session: the line as typed, then what it prints."""
    commands = [line for line in body.splitlines() if line.startswith(PROMPT)]
    return [f"{line}\n{clean_output(run(line.removeprefix(PROMPT)))}" for line in commands]


def clean_output(printed: str) -> str:
    """The lines without white space at their ends, and without empty lines at the end of all; nothing of nothing."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n")
    return lines + "\n" if lines else ""


def hide_passing(text: str) -> str:
    """The page as far as it is the same on every run."""
    return SESSION.sub(lambda match: PASSING.sub("0", match[0]), text)


def make_environment() -> dict[str, str]:
    """The variables of a session: none of Remem, no colour, a fixed width."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return kept | {
        "NO_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "PATH": path,
        "PYTHONPATH": str(TOP),
        "PYTHONIOENCODING": "utf-8",
    }


def run_command(command: str) -> str:
    """Runs one command line in the working directory; what it prints on both streams. Raises RuntimeError where it
    fails."""
    if command.startswith("remem "):
        code, printed = run_remem(shlex.split(command)[1:])
    else:
        done = subprocess.run(
            COMMAND + command, shell=True, env=make_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        code, printed = done.returncode, done.stdout.decode("utf-8")
    if code:
        raise RuntimeError(f"{command}: exit status {code}\n{printed}")
    return printed


def run_remem(arguments: list[str]) -> tuple[int, str]:
    """Exit status and what is printed on both streams."""
    before = dict(os.environ)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    os.environ.clear()
    os.environ.update(make_environment())
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            code = run(arguments)
    finally:
        os.environ.clear()
        os.environ.update(before)
    stream.seek(0)
    return code, stream.read()


def make_page(text: str) -> str:
    """The page with the output of the program as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        if COPYING not in text:
            shutil.copytree(TOP / "remem" / "samples", Path(folder) / "gangway")
        with contextlib.chdir(folder):
            return refresh_page(text, run_command)


def main(arguments: list[str]) -> int:
    """Writes the pages that are stale, or with `--check` tells whether one is."""
    stale = 0
    for page in list_pages():
        before = page.read_text(encoding="utf-8")
        after = make_page(before)
        if hide_passing(before) == hide_passing(after):
            continue
        if "--check" in arguments:
            print(f"{page.name} is stale: run python docs/make_sessions.py")
            stale = 1
        else:
            page.write_text(after, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
