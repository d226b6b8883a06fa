"""What programs that talk to a model want in their configuration to start `remem mcp`. It writes no file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from remem.faces.wire import Json

Form: TypeAlias = Literal["json", "toml"]

SERVER = "remem"


@dataclass(frozen=True, slots=True)
class Client:
    """One program: where its configuration lies, below which keys it lists servers, and what it wants for each beside
    the command. `joined` is where the command and its arguments are one list."""

    file: str
    section: tuple[str, ...] = ("mcpServers",)
    form: Form = "json"
    extra: tuple[tuple[str, object], ...] = ()
    joined: bool = False


CLIENTS = {
    "claude-code": Client(".mcp.json in the project", extra=(("type", "stdio"),)),
    "claude-desktop": Client("claude_desktop_config.json (Settings, Developer, Edit Config)"),
    "codex": Client("~/.codex/config.toml", ("mcp_servers",), "toml"),
    "cursor": Client(".cursor/mcp.json in the project, or ~/.cursor/mcp.json"),
    "gemini": Client("~/.gemini/settings.json"),
    "opencode": Client("opencode.json", ("mcp",), extra=(("type", "local"), ("enabled", True)), joined=True),
    "vscode": Client(".vscode/mcp.json in the project", ("servers",), extra=(("type", "stdio"),)),
    "windsurf": Client("~/.codeium/windsurf/mcp_config.json"),
    "zed": Client("settings.json (zed: open settings)", ("context_servers",), extra=(("source", "custom"),)),
}


def make_entry(client: Client, command: Sequence[str]) -> Json:
    """What the client wants to know of the server."""
    if client.joined:
        return {**dict(client.extra), "command": list(command)}
    return {**dict(client.extra), "command": command[0], "args": list(command[1:])}


def make_config(client: Client, command: Sequence[str]) -> Json:
    """The whole configuration that holds nothing but the server."""
    config: Json = {SERVER: make_entry(client, command)}
    for name in reversed(client.section):
        config = {name: config}
    return config


def write_config(client: Client, command: Sequence[str]) -> str:
    """The configuration as the text that goes into the client's file."""
    if client.form == "json":
        return json.dumps(make_config(client, command), indent=2, ensure_ascii=False)
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in make_entry(client, command).items())
    return "\n".join([f"[{'.'.join((*client.section, SERVER))}]", *lines])
