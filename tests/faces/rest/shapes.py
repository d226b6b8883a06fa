"""Holds answers against the description of the service."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import httpx2
from jsonschema import Draft202012Validator

PROBLEM: Final = "application/problem+json"


def find_template(document: dict[str, Any], method: str, path: str) -> str | None:
    """The template that an address fits; without variables goes first."""
    parts = path.strip("/").split("/")
    fits = [
        template
        for template, methods in document["paths"].items()
        if method.lower() in methods and _fits(template.strip("/").split("/"), parts)
    ]
    return min(fits, key=lambda template: template.count("{"), default=None)


def _fits(template: list[str], parts: list[str]) -> bool:
    return len(template) == len(parts) and all(
        a.startswith("{") or a == b for a, b in zip(template, parts, strict=True)
    )


_validators: dict[int, Any] = {}


@cache
def make_validator(name: str, document_id: int) -> Draft202012Validator:
    """What checks a value against a shape of a document."""
    document = _validators[document_id]
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document["components"]})


def check_answer(document: dict[str, Any], method: str, path: str, answer: httpx2.Response) -> None:
    """Raises AssertionError where an answer is not as described: status, type, shape."""
    _validators[id(document)] = document
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if answer.status_code >= 400:
        assert kind == PROBLEM, (kind, answer.text)
        make_validator("Problem", id(document)).validate(answer.json())
        assert answer.headers["x-request-id"] == answer.json()["request_id"]
        return
    template = find_template(document, method, path)
    if template is None or method == "HEAD":
        return
    told = document["paths"][template][method.lower()]["responses"]
    assert str(answer.status_code) in told, (method, path, answer.status_code)
    content = told[str(answer.status_code)]["content"]
    assert kind in content, (kind, content)
    reference = content[kind]["schema"].get("$ref")
    if reference and kind == "application/json":
        make_validator(reference.rpartition("/")[2], id(document)).validate(answer.json())
