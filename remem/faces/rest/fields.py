"""One query parameter or field of a body: the schema that clients read, and the check of what was sent. One declaration
gives both. Nothing is clamped."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from remem.checks import check_text
from remem.errors import InvalidInputError
from remem.faces.wire import Json, read_time
from remem.rendering.lines import show_number

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "words", "time", "object", "list"]
SHOWN = 80

TYPE_NAMES: dict[Kind, str] = {
    "text": "text",
    "integer": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "words": "a list of texts",
    "time": "a time like 2026-03-02T09:30:00Z",
    "object": "an object",
    "list": "a list",
}
_TYPES: dict[Kind, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "flag": "boolean",
    "words": "array",
    "time": "string",
    "object": "object",
    "list": "array",
}
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
TIME_PATTERN = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$"


@dataclass(frozen=True, slots=True)
class Field:
    """One query parameter or field of a body. `default` None: it may be left out, and then is not passed on. `choices`
    are the words that a text or each item of a list may be; `least` and `most` bound a number, `above` is a bound that
    is not reached itself; `longest` and `pattern` hold for a text or each item, `many` for the items of a list. With
    `blank`, an empty text is one. `free` text is taken as it is. `alias` is another name that is understood. `shape` is
    the schema of an object or list, whose inside is checked by whoever takes it."""

    name: str
    kind: Kind
    about: str = ""
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    above: float | None = None
    longest: int = 4096
    pattern: str = ""
    many: int = 1000
    blank: bool = False
    free: bool = False
    alias: str = ""
    shape: Json | None = None

    def describe(self) -> Json:
        """Its JSON schema."""
        if self.kind == "words":
            schema: Json = {"type": "array", "items": self._describe_text(), "maxItems": self.many}
        elif self.kind == "text":
            schema = self._describe_text()
        elif self.kind == "time":
            schema = {"type": "string", "pattern": TIME_PATTERN, "examples": ["2026-03-02T09:30:00Z"]}
        elif self.kind in ("object", "list"):
            schema = dict(self.shape or {"type": _TYPES[self.kind]})
        else:
            named = {"minimum": self.least, "maximum": self.most, "exclusiveMinimum": self.above}
            schema = {"type": _TYPES[self.kind], **{name: bound for name, bound in named.items() if bound is not None}}
        told = {"default": self.default, "description": self.about}
        return schema | {name: value for name, value in told.items() if value is not None and value != ""}

    def _describe_text(self) -> Json:
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        if self.free:
            return {"type": "string"}
        if self.pattern:
            return {"type": "string", "pattern": self.pattern}
        # A text that is not empty holds something that is seen.
        seen: Json = {} if self.blank else {"minLength": 1, "pattern": r"\S"}
        return {"type": "string", "maxLength": self.longest, **seen}

    def check(self, value: object) -> object:
        """A value of JSON as the engine takes it. Raises InvalidInputError."""
        return _CHECKS[self.kind](self, value)

    def parse(self, text: str) -> object:
        """A value as it stands in a query. Raises InvalidInputError."""
        match self.kind:
            case "integer" if _WHOLE.fullmatch(text):
                return self.check(int(text))
            case "number" if len(text) <= SHOWN and _NUMBER.fullmatch(text):
                return self.check(float(text))
            case "flag" if text in ("true", "false"):
                return text == "true"
            case "words":
                return self.check([part.strip() for part in text.split(",")])
            case "text" | "time":
                return self.check(text)
        raise self.refuse(text)

    def refuse(self, value: object) -> InvalidInputError:
        """What is raised for a wrong value."""
        wanted = TYPE_NAMES[self.kind]
        if self.choices:
            wanted = f"one of {', '.join(self.choices)}"
        elif self.kind in ("integer", "number"):
            wanted += self._tell_bounds()
        return InvalidInputError(f"{self.name} must be {wanted}, not {show_value(value)}", field=self.name)

    def _tell_bounds(self) -> str:
        low = f" above {show_number(self.above)}" if self.above is not None else ""
        if self.least is not None and self.most is not None:
            return f" from {show_number(self.least)} to {show_number(self.most)}"
        if self.least is not None:
            low = f", {show_number(self.least)} or more"
        return low + (f" and at most {show_number(self.most)}" if self.most is not None else "")


def show_value(value: object) -> str:
    """A value in a message, never much of it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _check_string(field: Field, value: object) -> str:
    if not isinstance(value, str) or (field.choices and value not in field.choices):
        raise field.refuse(value)
    if field.free or field.choices:
        return value
    text = check_text(field.name, value, longest=field.longest, empty=field.blank)
    if field.pattern and not re.search(field.pattern, text, re.ASCII):
        raise InvalidInputError(f"{field.name} must be {field.about or field.pattern}", field=field.name)
    return text


def _check_number(field: Field, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise field.refuse(value)
    too_low = (field.least is not None and value < field.least) or (field.above is not None and value <= field.above)
    if too_low or (field.most is not None and value > field.most):
        raise field.refuse(value)
    return value


def _check_whole(field: Field, value: object) -> int:
    # JSON does not tell 1.0 from 1.
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise field.refuse(value)
    return int(_check_number(field, number))


def _check_flag(field: Field, value: object) -> bool:
    if not isinstance(value, bool):
        raise field.refuse(value)
    return value


def _check_words(field: Field, value: object) -> list[str]:
    if not isinstance(value, list):
        raise field.refuse(value)
    if len(value) > field.many:
        message = f"{field.name} has {len(value)} entries; at most {field.many} are taken"
        raise InvalidInputError(message, field=field.name)
    return [_check_string(field, item) for item in value]


def _check_time(field: Field, value: object) -> int:
    if not isinstance(value, str) or not re.search(TIME_PATTERN, value, re.ASCII):
        raise field.refuse(value)
    return read_time(field.name, value)


def _check_object(field: Field, value: object) -> object:
    if not isinstance(value, dict):
        raise field.refuse(value)
    return value


def _check_list(field: Field, value: object) -> object:
    if not isinstance(value, list):
        raise field.refuse(value)
    return value


_CHECKS: dict[Kind, Callable[[Field, object], object]] = {
    "text": _check_string,
    "integer": _check_whole,
    "number": _check_number,
    "flag": _check_flag,
    "words": _check_words,
    "time": _check_time,
    "object": _check_object,
    "list": _check_list,
}
