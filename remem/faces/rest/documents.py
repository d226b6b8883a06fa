"""The description of the service as OpenAPI 3.1, made of the operations themselves, and a page that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from remem import __version__
from remem.faces.rest.fields import Field
from remem.faces.rest.operations import BASE, Answer, Operation
from remem.faces.rest.page import make_page
from remem.faces.rest.schemas import SCHEMAS, refer
from remem.faces.wire import Json, dump_json

PROBLEM = "application/problem+json"
OFTEN = (400, 401, 403, 422, 429, 500, 503)
"""Statuses that any operation may answer with."""
WITH_BODY = (408, 413, 415)


def make_documents(operations: Iterable[Operation]) -> dict[str, Answer]:
    """The answers to `/openapi.json` and `/docs`."""
    rows = tuple(operations)
    text = dump_json(describe_service(rows), newline=False)
    return {"openapi.json": Answer(text), "docs": make_page(rows)}


def describe_service(operations: Iterable[Operation]) -> Json:
    """The OpenAPI document."""
    paths: dict[str, Json] = {}
    schemas = dict(SCHEMAS)
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = describe_operation(operation)
        if operation.body is not None and operation.body_name:
            schemas[operation.body_name] = operation.body.describe()
    keys: Json = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Remem", "version": __version__, "description": ABOUT},
        "servers": [{"url": BASE}],
        "security": [{"bearer": []}, {"header": []}, {}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": keys},
    }


ABOUT = (
    "Agent memory in one SQLite file: notes compiled to a tree, facts as memories, one weighted graph across both."
    " Where a node is named, its id or a label that is its own will do. A key is needed where the service has one."
)


def describe_operation(operation: Operation) -> Json:
    """One operation with its parameters, its body, and all its answers."""
    names = [segment.strip("{}") for segment in operation.segments if segment.startswith("{")]
    parameters = [*map(_describe_place, names), *map(_describe_parameter, operation.query.fields)]
    told: Json = {
        "operationId": operation.name,
        "summary": operation.about.partition(". ")[0].rstrip("."),
        "description": operation.about,
        "tags": [operation.segments[0]],
        "parameters": parameters,
        "responses": {str(operation.status): _describe_answer(operation), **_describe_errors(operation)},
    }
    if operation.body is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": _describe_body(operation)}}}
    if operation.open:
        told["security"] = []
    return told


def _describe_place(name: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _describe_parameter(field: Field) -> Json:
    schema = field.describe()
    told: Json = {"name": field.name, "in": "query", "required": field.required, "schema": schema}
    if about := schema.pop("description", None):
        told["description"] = about
    if field.kind == "words":
        told |= {"style": "form", "explode": False}
        schema["minItems"] = 1
    return told


def _describe_body(operation: Operation) -> Json:
    assert operation.body is not None
    if operation.list_body is not None:
        one = [{**operation.body.describe(), "required": [field.name]} for field in operation.body.fields]
        return {"anyOf": [operation.list_body, *one]}
    return refer(operation.body_name) if operation.body_name else operation.body.describe()


def _describe_answer(operation: Operation) -> Json:
    schema: Json = {"type": "string"}
    if operation.answer:
        schema = refer(operation.answer) if isinstance(operation.answer, str) else operation.answer
    return {"description": "done", "content": {operation.content_type: {"schema": schema}}}


def _describe_errors(operation: Operation) -> Json:
    statuses = {*OFTEN, *operation.errors, *(WITH_BODY if operation.takes_body else ())}
    content = {PROBLEM: {"schema": refer("Problem")}}
    return {str(status): {"description": HTTPStatus(status).phrase, "content": content} for status in sorted(statuses)}
