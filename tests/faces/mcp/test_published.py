"""What a tool publishes of its answers, in every family: its answers and errors are so, for clients that check."""

from __future__ import annotations

import shutil
from math import isfinite
from pathlib import Path
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator

from remem.faces.mcp import server as server_module
from remem.faces.mcp.families import FAMILIES
from tests.faces.mcp import test_memory_tools, test_tools
from tests.faces.mcp.test_memory_tools import Caller, hold

WRONG = [*test_tools.WRONG, *test_memory_tools.WRONG]
UNKNOWN: dict[str, dict[str, Any]] = {"MemoryTree": {"root": "nope"}, "get_memory": {"memory_id": "nope"}}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_error_is_no_breach_of_the_published_schema_and_its_text_says_what_is_wrong(
    compiled: Path, tmp_path: Path, family: Literal["all", "tree", "memories"]
) -> None:
    named = {tool.name for tool in FAMILIES[family]}

    async def talk(to: Caller) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await to.client.list_tools()).tools}
        assert any(schemas.values()) == (family != "all")
        calls = [(name, {"nope": 1}, "nope") for name in named] + [
            each for each in WRONG if each[0] in named and can_say(each[1])
        ]
        for tool, arguments, field in calls:
            text, data, failed = await to.call(tool, **arguments)
            assert failed and text.startswith("invalid_input: "), (tool, arguments, text)
            assert field.rpartition(".")[2] in text, (tool, arguments, text)
            check_error(schemas[tool], data)
        for tool in named & UNKNOWN.keys():
            text, data, failed = await to.call(tool, **UNKNOWN[tool])
            assert failed and text.startswith("not_found: ") and "nope" in text
            check_error(schemas[tool], data)

    hold(Path(shutil.copy(compiled, tmp_path / "memory.db")), talk, mcp__tools=family)


def can_say(arguments: dict[str, Any]) -> bool:
    """Whether JSON can say them: this client sends NaN as null."""
    return all(not isinstance(value, float) or isfinite(value) for value in arguments.values())


def check_error(schema: Any, data: Any) -> None:
    """Whether the JSON of an error is as the schema says; without a schema it has a code."""
    assert data is None or schema is None, "an error has no JSON that its tool's schema knows"
    assert schema is not None or {"code", "message", "tool"} <= data.keys()


def test_a_crash_is_no_breach_of_it_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*given: object) -> None:
        raise RuntimeError("a secret")

    async def talk(to: Caller) -> None:
        await to.client.list_tools()
        text, data, failed = await to.call("get_memory", memory_id="x")
        assert failed and data is None and text.startswith("error: unexpected RuntimeError") and "secret" not in text

    monkeypatch.setattr(server_module, "answer_call", fail)
    hold(tmp_path / "memory.db", talk, mcp__tools="memories")


def check_answer(tool: str, data: Any) -> None:
    """Whether an answer is as the schema of its tool says, published or not."""
    schema = next(each.output for each in FAMILIES["all"] if each.name == tool)
    if schema is not None:
        Draft202012Validator(schema).validate(data)
