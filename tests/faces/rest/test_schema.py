"""The description of the service is faithful: what it lets through is taken, what it does not is refused, and every
answer is one that it tells of. Bounded, with the same examples each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import numpy  # noqa: F401 (before the service loads it on a thread, for hypothesis looks at it meanwhile)
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from remem.faces.rest.routes import OPERATIONS
from tests.faces.rest.site import BASE, DOCUMENT, HOST, Site

EXAMPLES = 8
# Copies and compiles reach beyond the store; events need not end.
LEFT_OUT = {"run_task", "compile_notes"}
JSON = "application/json"
NAMES = sorted(o.name for o in OPERATIONS if o.content_type == JSON and o.name not in LEFT_OUT)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

schema = schemathesis.openapi.from_dict(DOCUMENT)
found: dict[str, Any] = {}
for result in schema.get_all_operations():
    operation: Any = result.ok()  # type: ignore[union-attr]
    found[operation.definition.raw["operationId"]] = operation


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("store") / "memory.db") as site:
        site.store("a", "# First\n\nsee [[b]]")
        site.store("b", "second")
        yield site


def send(site: Site, case: Any) -> httpx2.Response:
    """The answer to a case."""
    asked = case.as_transport_kwargs(base_url=HOST + BASE)
    sent = {name: asked[name] for name in ("headers", "params", "cookies") if asked.get(name)}
    if "json" in asked:
        sent["json"] = asked["json"]
    elif asked.get("data") is not None:
        sent["content"] = asked["data"]

    async def do() -> httpx2.Response:
        return await site.client.request(asked["method"], asked["url"], **sent)

    return site.portal.call(do)


def run(site: Site, name: str, mode: schemathesis.GenerationMode, checks: list[Any]) -> None:
    @given(case=found[name].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
        derandomize=True,
        database=None,
    )
    def check(case: Any) -> None:
        case.validate_response(send(site, case), checks=checks)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_what_the_description_lets_through_gets_an_answer_it_tells_of(used: Site, name: str) -> None:
    run(used, name, schemathesis.GenerationMode.POSITIVE, CHECKS)


@pytest.mark.parametrize("name", [name for name in NAMES if found[name].body or found[name].query])
def test_what_the_description_does_not_let_through_is_refused(used: Site, name: str) -> None:
    run(used, name, schemathesis.GenerationMode.NEGATIVE, [*CHECKS, negative_data_rejection])
