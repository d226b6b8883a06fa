"""What an operation takes as a whole: all its query parameters, or all fields of its body. Nothing that was sent is
passed over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from remem.checks import find_meant
from remem.errors import InvalidInputError, MalformedError
from remem.faces.rest.fields import SHOWN, TYPE_NAMES, Field, show_value
from remem.faces.wire import Json

MOST_PARAMETERS = 100


class FieldSet:
    """The query parameters, or the fields of the body, of one operation. `what` is what a message calls one."""

    def __init__(self, fields: Sequence[Field], what: str) -> None:
        self.fields = tuple(fields)
        self._what = what
        self._known = {field.name: field for field in fields}
        self._known |= {field.alias: field for field in fields if field.alias}
        self._defaults = {field.name: field.default for field in fields if field.default is not None}
        self._required = tuple(field for field in fields if field.required)

    def read_query(self, raw: bytes) -> dict[str, Any]:
        """The values of a query, by name; what was not given and has no default is left out.

        Raises MalformedError for what is no query, InvalidInputError that names the parameter.
        """
        values = dict(self._defaults)
        if raw:
            seen = set()
            for name, text in split_query(raw):
                field = self._find(name)
                if field.name in seen:
                    raise InvalidInputError(f"{name} is given twice", field=name)
                seen.add(field.name)
                values[field.name] = (field if name == field.name else replace(field, name=name)).parse(text)
        return self._complete(values)

    def read_object(self, given: Mapping[str, object]) -> dict[str, Any]:
        """The values of a body, by name; null counts as not given. Raises InvalidInputError that names the field."""
        values = dict(self._defaults)
        seen = set()
        for name, value in given.items():
            field = self._find(name)
            if value is None:
                continue
            if field.name in seen:
                raise InvalidInputError(f"{field.name} and {field.alias} are the same: give one", field=field.name)
            seen.add(field.name)
            values[field.name] = field.check(value) if name == field.name else replace(field, name=name).check(value)
        return self._complete(values)

    def list_aliases(self, given: Iterable[str]) -> dict[str, str]:
        """Of the fields that a request gave, those that it calls by their other names, with these."""
        found = ((self._known[name].name, name) for name in given if name in self._known)
        return {own: name for own, name in found if own != name}

    def describe(self) -> Json:
        """The schema of an object of these fields."""
        properties = {field.name: _allow_null(field.describe(), field) for field in self.fields}
        properties |= {field.alias: _allow_null(field.describe(), field) for field in self.fields if field.alias}
        schema: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        if self._required:
            schema["required"] = [field.name for field in self._required]
        return schema

    def _find(self, name: str) -> Field:
        field = self._known.get(name)
        if field is None:
            raise refuse_name(name, self._what, list(self._known))
        return field

    def _complete(self, values: dict[str, Any]) -> dict[str, Any]:
        for field in self._required:
            if field.name not in values:
                message = f"{field.name} is missing: {field.about or TYPE_NAMES[field.kind]}"
                raise InvalidInputError(message, field=field.name)
        return values


def _allow_null(schema: Json, field: Field) -> Json:
    """The schema of a field of a body, in which null stands for what is not given."""
    if field.required:
        return schema
    about: Json = {name: schema.pop(name) for name in ("default", "description") if name in schema}
    return {"anyOf": [schema, {"type": "null"}], **about}


def split_query(raw: bytes) -> list[tuple[str, str]]:
    """The names and values of a query. Raises MalformedError where it is no UTF-8, or too much."""
    try:
        return parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS, separator="&"
        )
    except UnicodeError:
        raise MalformedError("the query is not UTF-8 in percent-encoding") from None
    except ValueError:
        raise MalformedError(f"the query has more than {MOST_PARAMETERS} parameters") from None


def refuse_name(name: str, what: str, known: list[str]) -> InvalidInputError:
    """What is raised for a name that is not known, with the one that may be meant."""
    meant = find_meant(name, known)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(known)}" if known else "there are none"
    return InvalidInputError(f"there is no {what} {show_value(name)}; {hint}", field=name[:SHOWN])
