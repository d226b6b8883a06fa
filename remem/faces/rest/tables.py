"""What an operation takes, as rows of a table for people. Used by the pages; checks nothing."""

from __future__ import annotations

from typing import NamedTuple

from remem.faces.rest.fields import TYPE_NAMES, Field
from remem.faces.rest.operations import Operation
from remem.rendering.lines import show_number


class Row(NamedTuple):
    """One parameter or field: its name, where it stands, what it may be, its default, what it is for."""

    name: str
    place: str
    value: str
    default: str
    about: str


def list_parameters(operation: Operation) -> list[Row]:
    """The rows of the query and the body."""
    rows = [_make_row(field, "query") for field in operation.query.fields]
    if operation.body is not None:
        rows += [_make_row(field, "body") for field in operation.body.fields]
    return rows


def _make_row(field: Field, place: str) -> Row:
    default = "required" if field.required else _tell_default(field.default)
    name = field.name + (f" ({field.alias})" if field.alias else "")
    return Row(name, place, tell_value(field), default, field.about)


def _tell_default(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def tell_value(field: Field) -> str:
    """What a value may be, in a few words."""
    if field.choices:
        many = "some of " if field.kind == "words" else ""
        return many + ", ".join(field.choices)
    told = TYPE_NAMES[field.kind]
    if field.least is not None and field.most is not None:
        return f"{told}, {show_number(field.least)} to {show_number(field.most)}"
    if field.above is not None:
        most = "" if field.most is None else f", at most {show_number(field.most)}"
        return f"{told}, above {show_number(field.above)}{most}"
    return told
