"""What a tool is: name, description, parameters, what it may change, and the function behind it. Holds no tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from remem.faces.mcp.arguments import Parameter, describe_parameters
from remem.faces.wire import Json, show_rest
from remem.settings import Settings

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.faces.mcp.digest import DigestTeller
    from remem.records import Page

Arguments: TypeAlias = Mapping[str, Any]
Report: TypeAlias = Callable[[float, float, str], Awaitable[None]]
"""Tells the client how far a call is: done, total, of what."""


class ToolCall(NamedTuple):
    """What a tool works with: the open store, the settings, how to report progress, and the digest of cold nodes that
    may be due."""

    remem: Remem
    settings: Settings
    report: Report
    digest: DigestTeller


class Answer(NamedTuple):
    """What a tool answers: a compact text for the model, and the same things as JSON."""

    text: str
    data: Json


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `about` says what it does and when not to use it. `changes` is whether it writes, `destroys` whether
    something may be lost by it, `repeats` whether it may be called again with the same effect. `output` is its output
    schema. `names` are the arguments that the engine knows by other names: its names, with those of the tool."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    run: Callable[[ToolCall, Arguments], Awaitable[Answer]]
    changes: bool = False
    destroys: bool = False
    repeats: bool = True
    output: Json | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def describe(self) -> Json:
        """The tool as `tools/list` shows it."""
        shown: Json = {
            "name": self.name,
            "description": self.about,
            "inputSchema": describe_parameters(self.parameters),
            "annotations": {
                "readOnlyHint": not self.changes,
                "destructiveHint": self.destroys,
                "idempotentHint": self.repeats,
            },
        }
        return shown if self.output is None else {**shown, "outputSchema": self.output}


def show_page(page: Page[Any], data: Json) -> Answer:
    """A page as an answer: what is on it, how much comes after it, and where to go on if there is more."""
    return Answer(page.text, {**data, **show_rest(page)})


def take_first(items: object, most: int) -> list[object]:
    """The first items of a list in an answer."""
    assert isinstance(items, list)
    return items[:most]


def describe_output(**properties: str) -> Json:
    """A compact output schema: names of required properties with their JSON types."""
    return {
        "type": "object",
        "properties": {name: {"type": type} for name, type in properties.items()},
        "required": list(properties),
    }
