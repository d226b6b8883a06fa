"""Writes cli.md: the help of every command as it prints it, and the shapes of `--json` as found in real output.

python docs/make_cli.py            writes the page
python docs/make_cli.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

import click
from click.testing import CliRunner

from docs.pages import run
from remem.datafiles import find_samples
from remem.faces.cli.app import MODULES, cli

PAGE = TOP / "docs" / "cli.md"
WIDTH = 100
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
INTRODUCTION = """# Command line

`remem [OPTIONS] COMMAND`, or `python -m remem`. Wherever a command takes a node, its id or an unambiguous label will
do; `Label#Heading` and `folder/Label` are understood as in a link.

Data goes to stdout; progress, summaries, warnings and errors go to stderr. On a terminal there are colour (unless
`NO_COLOR` is set), tables and the rulings of trees; into a pipe go plain lines, the same on every run. A line that is
longer than the terminal, or than `COLUMNS` says, is broken at the hops of a path and between the words of a snippet
alone.

| exit status | means |
| --- | --- |
| 0 | done |
| 1 | the request failed (or `compile --strict` met a problem, or `doctor` found a fault) |
| 2 | wrong usage: an unknown command or option, a value out of range, a wrong setting |
| 130 | interrupted by Ctrl+C; 143 by SIGTERM, 129 by SIGHUP (`serve`, `mcp` and `compile --watch` end with 0) |

An error is one line on stderr that begins with `error:`. Only `init`, `compile`, `store`, `write` (of a memory),
`import`, `restore`, `serve`, `mcp` and `demo` make a store where there is none; every other command refuses. This page
is made by `python docs/make_cli.py`; a test fails when it is stale.
"""
SHAPES_INTRODUCTION = """## JSON

`--json` prints one line. Below, a list is shown with what its entries hold; times are ISO 8601 in UTC. Fields may be
added, never renamed.
"""
SHOWN_AS_JSON = (
    "compile gangway --json",
    "roots --json",
    "tree --json",
    'show "The double-booked deck" --json',
    'search "lane metres" --explain --json',
    'related "The double-booked deck" --depth 2 --json',
    'path "The stale timetable" "Amina Okafor" --json',
    'relate Deploy "The stale timetable" --json',
    'relate Deploy "Crew rota" --json',
    "pending --json",
    'store "A fact." --id fact --tag ops --json',
    "update fact --importance 0.8 --json",
    "promote fact --json",
    "pin fact --json",
    "unpin fact --json",
    "forget fact --json",
    "unarchive fact --json",
    'unrelate Deploy "The stale timetable" --json',
    'write "A new line." --parent Deploy --json',
    'summarise "The stale timetable" "A copy was stale." --json',
    "forget 6wN62Z7xzrZ --mode cascade --json",
    "snapshots --json",
    "delta 1 --json",
    "diff 3 4 --json",
    "history fact --json",
    "rollback 1 --dry-run --json",
    "purge --node fact --json",
    "stats --json",
    "export --format json",
    "install cursor --json",
    "doctor --json",
    "drop gangway --yes --json",
)


def make_page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *list_helps(), SHAPES_INTRODUCTION, *list_shapes()])


def list_helps() -> Iterator[str]:
    """One section for the global options, and one for each command."""
    with cli.make_context("remem", ["tree"], terminal_width=WIDTH) as context:
        yield f"## remem\n\n```text\n{context.get_help()}\n```\n"
        for name in MODULES:
            command = cli.get_command(context, name)
            assert command is not None
            with click.Context(command, info_name=name, parent=context) as inner:
                yield f"## remem {name}\n\n```text\n{inner.get_help()}\n```\n"


def list_shapes() -> Iterator[str]:
    """The shape of what each command prints on the sample notes."""
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "memory.db")
        for line in SHOWN_AS_JSON:
            arguments = shlex.split(line.replace("compile gangway", f"compile {shlex.quote(str(find_samples()))}"))
            root = ["--root", "gangway"] if arguments[0] == "compile" else []
            done = runner.invoke(cli, ["--db", db, *arguments, *root], catch_exceptions=False)
            yield f"`remem {line}`\n\n```text\n{draw_shape(json.loads(done.stdout))}\n```\n"


def draw_shape(value: object) -> str:
    """What a value holds, as indented JSON with the names of types."""
    return json.dumps(find_shape([value]), indent=1, ensure_ascii=False).replace('"', "")


def find_shape(values: list[object]) -> object:
    """The shape that all the values share: fields of objects, entries of lists, or names of types."""
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        names = dict.fromkeys(name for value in objects for name in value)
        shape = {name: find_shape([value[name] for value in objects if name in value]) for name in names}
        return {"(or null)": "", **shape} if None in values else shape
    lists = [value for value in values if isinstance(value, list)]
    if lists:
        return [find_shape(entries)] if (entries := [entry for value in lists for entry in value]) else []
    return " or ".join(sorted({name_type(value) for value in values}, key=lambda name: name == "null"))


def name_type(value: object) -> str:
    """The name of a plain value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "number"
    return "time" if isinstance(value, str) and TIME.fullmatch(value) else "text"


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
