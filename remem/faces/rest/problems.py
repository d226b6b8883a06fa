"""Errors as `application/problem+json` (RFC 9457): status, code, what was wrong. Tells of no content and no key."""

from __future__ import annotations

import logging
from http import HTTPStatus

from remem.errors import RememError
from remem.faces.wire import Json, dump_json, find_report

PROBLEM_TYPE = b"application/problem+json"
INTERNAL = "internal"
RETRY_SECONDS = 1
"""When to try again where the store was busy."""
TOLD = ("field", "item", "allow", "candidates", "place", "source_id", "target_id", "relationship_types", "retry_after")
"""Facts of an error that are told beside its message."""

_log = logging.getLogger("remem.rest")


def show_problem(error: BaseException, request_id: str) -> tuple[int, Json, list[tuple[bytes, bytes]]]:
    """The status, the body and the further headers that answer a call which raised `error`. What was not raised on
    purpose is logged with its kind and place, never with its message, which may hold content."""
    if not isinstance(error, RememError):
        _log.error("a request failed: %s %s", request_id, locate_error(error))
        return make_problem(500, INTERNAL, "the service failed at this request; its log says more", request_id)
    told = {name: error.facts[name] for name in TOLD if error.facts.get(name) is not None}
    return make_problem(find_report(error).http_status, error.code, error.message, request_id, told)


def make_problem(
    status: int, code: str, detail: str, request_id: str, told: Json | None = None
) -> tuple[int, Json, list[tuple[bytes, bytes]]]:
    """A problem of that status and code, with `told` facts."""
    told = told or {}
    body: Json = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": request_id,
        **told,
    }
    if code == "invalid_input":
        body["errors"] = [{"field": told.get("field", ""), "reason": detail}]
    headers: list[tuple[bytes, bytes]] = []
    if status in (429, 503):
        headers.append((b"retry-after", str(told.get("retry_after", RETRY_SECONDS)).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="remem"'))
    if "allow" in told:
        headers.append((b"allow", str(told["allow"]).encode()))
    return status, body, headers


def dump_problem(body: Json) -> bytes:
    """The bytes of a problem."""
    return dump_json(body, newline=False)


def locate_error(error: BaseException) -> str:
    """The kind of an error and the line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
    return type(error).__name__ + where
