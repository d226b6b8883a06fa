"""What `remem install` prints is what starts a server, wherever the client does it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from remem.faces.cli.clients import CLIENTS
from tests.faces.command import remem
from tests.faces.mcp.wire_client import PATIENCE


def find_entry(config: Any, name: str) -> list[str]:
    for section in CLIENTS[name].section:
        config = config[section]
    entry = config["remem"]
    return list(entry["command"]) if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_gets_absolute_paths_and_nothing_is_written(name: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    done = remem("install", name)
    parse = tomllib.loads if CLIENTS[name].form == "toml" else json.loads
    command = find_entry(parse(done.out), name)
    assert done.status == 0 and CLIENTS[name].file in done.err
    assert command == [str(Path(sys.executable)), "-m", "remem", "--db", str(folder / "memory.db"), "mcp"]
    assert find_entry(remem("install", name, "--json").load()["config"], name) == command
    assert sorted(folder.rglob("*")) == before


def test_the_configuration_in_use_goes_along(folder: Path) -> None:
    (folder / "remem-server.toml").write_text("[storage]\npath = 'sub/other.db'\n")
    command = find_entry(remem("install", "cursor", "--json").load()["config"], "cursor")
    assert command[3:-1] == ["--db", str(folder / "sub" / "other.db"), "--config", str(folder / "remem-server.toml")]
    named = remem("--db", 'odd "name\\ü.db', "--config", "remem-server.toml", "install", "codex")
    assert find_entry(tomllib.loads(named.out), "codex")[4] == str(folder / 'odd "name\\ü.db')


def test_the_command_starts_a_server_from_another_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    command = find_entry(remem("install", "claude-desktop", "--json").load()["config"], "claude-desktop")
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path_factory.mktemp("elsewhere")
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(ping)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_an_unknown_client_is_wrong_usage_with_the_known_ones_named() -> None:
    done = remem("install", "emacs")
    assert done.status == 2 and "claude-desktop" in done.err
