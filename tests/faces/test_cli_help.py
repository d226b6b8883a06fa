"""Every command says what it does, shows an example that is true, and stands on the reference page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from docs import make_cli
from remem.faces.cli.app import MODULES, cli
from remem.faces.cli.commands import ExampleCommand
from tests.faces.command import remem

PROMISED = (
    *("demo", "init", "compile", "roots", "drop", "tree", "show", "related", "path", "relate", "unrelate"),
    *("pending", "stats", "export", "doctor", "completion", "serve", "backup", "restore", "import", "migrate"),
    *("snapshots", "delta", "diff", "history", "rollback", "purge", "write", "summarise", "forget"),
)
SERVERS = ("mcp", "serve")
FRESH = ("init", "compile")
UNSTEADY = re.compile(r"\d+(\.\d+)? s$|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=  )/\S+$")


def load_command(name: str) -> ExampleCommand:
    command = cli.get_command(click.Context(cli, info_name="remem"), name)
    assert isinstance(command, ExampleCommand)
    return command


def split_example(name: str) -> list[tuple[list[str], list[str]]]:
    """The command lines of an example, each with the lines that it prints."""
    found: list[tuple[list[str], list[str]]] = []
    for line in load_command(name).example.splitlines():
        if line.startswith("$ remem") and not (name == "demo" and found):
            found.append((shlex.split(line)[2:], []))
        else:
            found[-1][1].append(line)
    return found


def make_pattern(lines: list[str]) -> re.Pattern[str]:
    """What the lines stand for: `…` for anything, a time or a place for any."""
    text = "".join(line.rstrip() + "\n" for line in lines)
    text = re.sub(r"^…\n", "\x00", text, flags=re.M).replace("…", "\x00")
    text = re.sub(UNSTEADY.pattern, "\x01", text, flags=re.M)
    return re.compile(re.escape(text).replace("\x00", "[\\s\\S]*").replace("\x01", "[^\\n]+"))


def test_every_command_that_is_promised_is_there() -> None:
    assert set(PROMISED) <= set(MODULES)


def test_the_help_without_a_command_lists_them_all() -> None:
    done = remem("--help")
    assert done.status == 0
    assert [name for name in MODULES if not re.search(rf"^  {name} +\w", done.out, re.M)] == []


@pytest.mark.parametrize("name", MODULES)
def test_a_command_has_one_sentence_an_example_and_help_for_each_option(name: str) -> None:
    command = load_command(name)
    summary = (command.help or "").split("\n\n")[0]
    assert summary.endswith(".") and len(summary) <= 110, summary
    assert command.example.startswith("$ remem") and command.example in make_plain(remem(name, "--help").out)
    options = [param for param in command.params if isinstance(param, click.Option)]
    assert [option.name for option in options if not option.help] == []


def make_plain(text: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in text.splitlines())


@pytest.mark.parametrize("name", [name for name in MODULES if name not in SERVERS])
def test_the_example_of_a_command_is_what_it_prints(name: str, folder: Path) -> None:
    if name in FRESH:
        (folder / "memory.db").unlink()
    for arguments, lines in split_example(name):
        done = remem(*arguments)
        printed = "".join(line.rstrip() + "\n" for line in done.both.splitlines())
        assert done.status == 0
        assert make_pattern(lines).fullmatch(printed), printed


def test_the_reference_page_is_what_the_commands_say_now() -> None:
    assert make_cli.PAGE.read_text(encoding="utf-8") == make_cli.make_page(), "run python docs/make_cli.py"


@pytest.mark.parametrize(("shell", "mark"), [("bash", "COMPREPLY"), ("zsh", "compdef"), ("fish", "complete ")])
def test_a_completion_script_is_offered(shell: str, mark: str) -> None:
    done = remem("completion", shell)
    assert done.status == 0 and mark in done.out and "_REMEM_COMPLETE" in done.out
