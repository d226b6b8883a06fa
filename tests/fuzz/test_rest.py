"""The service, operation after operation: what one answers goes into the next. No answer is a failure of the server;
the store stays sound. Each operation alone: tests/faces/rest/test_schema.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy  # noqa: F401 (before the service loads it on a thread, for hypothesis looks at it meanwhile)
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from tests.faces.rest.site import DOCUMENT, Site
from tests.faces.rest.test_schema import LEFT_OUT, send

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
STREAMS = {"follow_store", "follow_task", "read_metrics", "send_backup", "read_docs"}
"""Operations that answer no JSON, or do not end."""

schema = schemathesis.openapi.from_dict(DOCUMENT).exclude(operation_id=sorted(LEFT_OUT | STREAMS))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("rest") / "memory.db") as opened:
        opened.store("a", "# First\n\nsee [[b]]")
        opened.store("b", "# b\n\nsecond")
        yield opened
        report = opened.run(opened.remem.doctor)
        assert [finding for finding in report.findings if finding.fault] == []


def test_no_sequence_of_operations_makes_the_server_fail(site: Site) -> None:
    base: Any = schema.as_state_machine()
    calls: list[str] = []

    class Machine(base):  # type: ignore[misc]
        """Asks the site instead of a port."""

        def call(self, case: Any, **kwargs: Any) -> Response:
            answer = send(site, case)
            calls.append(case.operation.definition.raw["operationId"])
            return Response.from_any(answer)

        def validate_response(self, response: Response, case: Any, **kwargs: Any) -> None:
            case.validate_response(response, checks=CHECKS)

    rules = settings(
        max_examples=12,
        stateful_step_count=10,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
        derandomize=True,
        database=None,
    )
    run_state_machine_as_test(Machine, settings=rules)
    assert len(set(calls)) > 10
