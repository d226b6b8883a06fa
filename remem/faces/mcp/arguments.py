"""What a tool takes: its parameters, the schema that clients read, and the check of what a model sent. Nothing is
clamped or passed over; a number, a list or an object that was sent as text is understood."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from remem.checks import check_text, find_meant
from remem.errors import InvalidInputError
from remem.faces.wire import Json
from remem.rendering.lines import show_number

Type: TypeAlias = Literal["string", "integer", "number", "boolean", "array", "object"]
MOST_ITEMS = 1000
SHOWN = 80
MOST_TOLD = 10_000
"""A bound above it is none that a model would meet by chance: no schema tells it."""

_NAMES: dict[Type, str] = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of texts",
    "object": "an object",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `default` None: without one it may be left out. `choices` are the words that it, or each item of a
    list, may be; `least` and `most` bound a number, `longest` the characters of a text or item; `free` text is taken as
    it is, however long or empty, and an empty list as one. `alias` is another name that is understood. Without
    `listed` the schema leaves the choices out."""

    name: str
    type: Type
    about: str = ""
    required: bool = False
    default: str | float | bool | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    longest: int = 1000
    free: bool = False
    alias: str = ""
    listed: bool = True

    def describe(self) -> Json:
        """Its JSON schema: always with a type, never with null."""
        inner: Json = {"enum": list(self.choices)} if self.choices and self.listed else {}
        schema: Json = {"type": self.type}
        schema |= {"items": {"type": "string", **inner}} if self.type == "array" else inner
        least = self.least if (self.least or 0) > 1 else None  # of few bytes, these (and a default of 0) say least
        most = self.most if (self.most or 0) < MOST_TOLD else None
        named = {"minimum": least, "maximum": most, "default": self.default or None, "description": self.about}
        return schema | {name: value for name, value in named.items() if value is not None and value != ""}


def describe_parameters(parameters: Sequence[Parameter]) -> Json:
    """The input schema of a tool."""
    schema: Json = {"type": "object", "properties": {each.name: each.describe() for each in parameters}}
    required = [each.name for each in parameters if each.required]
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def read_arguments(parameters: Sequence[Parameter], given: Mapping[str, object]) -> dict[str, Any]:
    """The value of each parameter: what was given, its default, or None. Null counts as not given.

    Raises InvalidInputError that names the parameter.
    """
    known = {each.name: each for each in parameters}
    aliases = list_aliases(parameters, given)
    owns = {alias: name for name, alias in aliases.items()}
    given = {owns.get(name, name): value for name, value in given.items()}
    for name in given:
        if name not in known:
            raise InvalidInputError(_refuse_name(_clip(name), list(known)), field=_clip(name))
    values = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is None and parameter.required:
            raise InvalidInputError(f"{name} is missing: {parameter.about or _NAMES[parameter.type]}", field=name)
        called = replace(parameter, name=aliases[name]) if name in aliases else parameter
        values[name] = parameter.default if value is None else read_value(called, value)
    return values


def list_aliases(parameters: Sequence[Parameter], given: Mapping[str, object]) -> dict[str, str]:
    """The parameters that were given by their other names, with these."""
    return {
        each.name: each.alias for each in parameters if each.alias and each.alias in given and each.name not in given
    }


def _refuse_name(name: str, known: list[str]) -> str:
    meant = find_meant(name, known)
    hint = f"did you mean {meant}?" if meant else f"it takes {', '.join(known) or 'none'}"
    return f"there is no argument {name}; {hint}"


def read_value(parameter: Parameter, value: object) -> object:
    """A value as its parameter wants it. Raises InvalidInputError."""
    match parameter.type:
        case "string":
            return _read_text(parameter, value)
        case "array":
            return _read_list(parameter, value)
        case "boolean":
            return _read_flag(parameter, value)
        case "object":
            return _read_object(parameter, value)
    return _read_number(parameter, value)


def _read_text(parameter: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise _refuse_value(parameter, value)
    if parameter.free:
        return value
    if parameter.choices and value not in parameter.choices:
        raise _refuse_value(parameter, value)
    return check_text(parameter.name, value, longest=parameter.longest)


def _read_flag(parameter: Parameter, value: object) -> bool:
    flags = {"true": True, "false": False}
    found = flags.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise _refuse_value(parameter, value)
    return found


def _read_number(parameter: Parameter, value: object) -> float:
    number = _parse_json(value) if isinstance(value, str) and len(value) <= SHOWN else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise _refuse_value(parameter, value)
    if parameter.type == "integer":
        if number != int(number):
            raise _refuse_value(parameter, value)
        number = int(number)
    if not (parameter.least or 0) <= number <= (math.inf if parameter.most is None else parameter.most):
        raise _refuse_value(parameter, value)
    return number


def _read_list(parameter: Parameter, value: object) -> tuple[str, ...] | None:
    """A list of texts, also written as JSON or with commas between them. An empty list counts as not given."""
    items = _split_text(value) if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise _refuse_value(parameter, value)
    if len(items) > MOST_ITEMS:
        message = f"{parameter.name} has {len(items)} items; at most {MOST_ITEMS} are taken"
        raise InvalidInputError(message, field=parameter.name)
    for item in items:
        if parameter.choices and item not in parameter.choices:
            raise _refuse_value(parameter, item)
        check_text(parameter.name, item, longest=parameter.longest)
    if parameter.required and not items:
        raise InvalidInputError(f"{parameter.name} is empty: name at least one", field=parameter.name)
    return tuple(items) if items or parameter.free else None


def _read_object(parameter: Parameter, value: object) -> dict[str, object]:
    """An object, also written as JSON. What is in it is checked by whoever takes it."""
    found = _parse_json(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise _refuse_value(parameter, value)
    return found


def _split_text(text: str) -> object:
    if text.lstrip().startswith(("[", "{")):
        return _parse_json(text)  # an object is refused as no list
    return [part.strip() for part in text.split(",") if part.strip()]


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _refuse_value(parameter: Parameter, value: object) -> InvalidInputError:
    wanted = f"one of {', '.join(parameter.choices)}" if parameter.choices else _NAMES[parameter.type]
    if parameter.type in ("integer", "number"):
        least, most = parameter.least or 0, parameter.most
        first = show_number(least)
        wanted += f", {first} or more" if most is None else f" from {first} to {show_number(most)}"
    message = f"{parameter.name} must be {wanted}, not {_clip(json.dumps(value, ensure_ascii=False))}"
    return InvalidInputError(message, field=parameter.name)


def _clip(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
