"""Every tool, with arguments of its schema and with any others: an answer or an error that can be acted on, never a
failure of the server, and the store stays sound."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from remem import Remem
from remem.datafiles import find_samples
from tests.faces.mcp.wire_client import WireClient
from tests.fuzz.values import JSON, TEXTS, make_arguments

EXAMPLES = 12
ROUNDS = settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=True,
    database=None,
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A server on a store of its own, of the sample notes; sound at the end."""
    place = tmp_path_factory.mktemp("fuzz")
    shutil.copytree(find_samples(), place / "gangway")
    store = place / "memory.db"
    with Remem.open_sync(store) as remem:
        remem.compile(place / "gangway")
        for id in ("m1", "m2"):
            remem.store(f"# Fact {id}\n\nsee [[costs]]", id=id)
    with WireClient(store) as client:
        client.greet()
        yield client
        assert client.ask("ping") == {}
    assert "Traceback" not in client.errors
    with Remem.open_sync(store) as remem:
        assert [finding for finding in remem.doctor().findings if finding.fault] == []


def list_known(client: WireClient) -> tuple[str, ...]:
    """Ids and labels that name something."""
    lines = client.read("MemoryTree", depth=2, budget=2000)["nodes"]
    return ("m1", "m2", *(line["id"] for line in lines[:6]), *(line["label"] for line in lines[:3]))


def check_answer(answer: Any, told: object) -> None:
    """An answer, or an error with a code and something to read."""
    if "error" in answer:
        assert answer["error"]["code"] in (-32602, -32600, -32601), (told, answer)
        return
    result = answer["result"]
    text = "".join(part.get("text", "") for part in result["content"])
    assert text, (told, answer)
    assert "Traceback" not in text and "internal" not in text.casefold()[:40], (told, text)


def ask(client: WireClient, method: str, params: Any) -> Any:
    client._count += 1
    client.send(method, params, id=client._count)
    return client.wait(client._count)


def test_every_tool_answers_whatever_it_is_given(client: WireClient) -> None:
    known = list_known(client)
    tools = client.ask("tools/list")["tools"]
    assert len(tools) > 25
    for tool in tools:
        fuzz_tool(client, tool["name"], make_arguments(tool["inputSchema"], known))


def fuzz_tool(client: WireClient, name: str, wanted: st.SearchStrategy[dict[str, Any]]) -> None:
    """Calls a tool with many arguments."""

    @ROUNDS
    @given(arguments=wanted)
    def call(arguments: dict[str, Any]) -> None:
        if name == "MemoryCompile":
            arguments = {**arguments, "path": "/nowhere"}
        told = (name, json.dumps(arguments)[:300])
        check_answer(ask(client, "tools/call", {"name": name, "arguments": arguments}), told)

    call()


def test_every_method_answers_whatever_it_is_given(client: WireClient) -> None:
    methods = st.sampled_from(
        ("tools/call", "tools/list", "resources/read", "resources/list", "resources/subscribe", "prompts/get",
         "prompts/list", "completion/complete", "logging/setLevel", "no/such")
    )  # fmt: skip
    shapes = st.one_of(
        JSON.filter(lambda value: isinstance(value, dict)),
        st.fixed_dictionaries({"name": TEXTS}, optional={"arguments": JSON}),
        st.fixed_dictionaries({"uri": st.one_of(TEXTS, st.sampled_from(("remem://node/", "remem://doctor", "x:")))}),
    )

    @settings(ROUNDS, max_examples=60)
    @given(method=methods, params=shapes)
    def call(method: str, params: Any) -> None:
        answer = ask(client, method, params)
        assert "result" in answer or answer["error"]["code"] != -32603, (method, params, answer)

    call()
