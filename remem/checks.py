"""Checks of values that callers give: each returns the value as the program works with it, or raises InvalidInputError
that names the field. Nothing is clamped. Of a name that is not known, which one may be meant; of a field that a
caller knows by another name, that name."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from remem.errors import InvalidInputError, RememError
from remem.keys import is_blank
from remem.records import MAX_WEIGHT, MICRO

T = TypeVar("T")
_HEAD = re.compile(r"[A-Za-z_]\w*")
_MARKED = re.compile(r"`([A-Za-z_]\w*)(=?)([^`\s]*)`")


def check_text(field: str, value: object, *, longest: int = 100_000, empty: bool = False) -> str:
    """A string without NUL and lone surrogates, of 1 (or 0) to `longest` characters; unless it may be empty, one that
    shows something: not of white space and invisible characters alone."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{field} must be text, not {name_type(value)}", field=field)
    if not empty and (not value or ("\x00" not in value and is_blank(value))):
        raise InvalidInputError(f"{field} must not be empty", field=field)
    if len(value) > longest:
        raise InvalidInputError(f"{field} has {len(value)} characters; at most {longest} are taken", field=field)
    if "\x00" in value:
        raise InvalidInputError(f"{field} holds a NUL character at {value.index(chr(0))}", field=field)
    if not value.isascii():
        _check_surrogates(field, value)
    return value


def _check_surrogates(field: str, value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"{field} holds half a surrogate pair at {error.start}", field=field) from None


def check_path(field: str, value: object, *, longest: int = 4096) -> str:
    """A path: text, or what stands for one."""
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidInputError(f"{field} must be a path, not {name_type(value)}", field=field)
    return check_text(field, os.fspath(value), longest=longest)


def check_list(field: str, value: Sequence[T]) -> Sequence[T]:
    """A list or tuple, of whatever."""
    if not isinstance(value, (list, tuple)):
        raise InvalidInputError(f"{field} must be a list, not {name_type(value)}", field=field)
    return value


def check_texts(field: str, value: Sequence[str]) -> Sequence[str]:
    """A list or tuple of texts, whatever they say: an odd one names nothing."""
    for number, item in enumerate(check_list(field, value)):
        if not isinstance(item, str):
            raise InvalidInputError(f"{field}[{number}] must be text, not {name_type(item)}", field=field)
    return value


def check_words(field: str, value: object) -> tuple[str, ...]:
    """A list, tuple or set of texts; one that stands alone is a list of one. Those of a set are put into an order of
    their own, so that a cursor knows the request again in any process."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise InvalidInputError(f"{field} must be a list of texts, not {name_type(value)}", field=field)
    for item in value:
        if not isinstance(item, str):
            raise InvalidInputError(f"{field} must be a list of texts; one is {name_type(item)}", field=field)
    return tuple(sorted(value) if isinstance(value, (set, frozenset)) else value)


def check_int(field: str, value: object, least: int, most: int) -> int:
    """A whole number from `least` to `most`; a bool is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInputError(f"{field} must be a whole number, not {name_type(value)}", field=field)
    if not least <= value <= most:
        raise InvalidInputError(f"{field} must be from {least} to {most}, not {value}", field=field)
    return value


def check_time(field: str, value: object) -> int:
    """A time in milliseconds since 1970, which may be before."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 63:
        raise InvalidInputError(f"{field} must be a whole number of milliseconds since 1970", field=field)
    return value


def check_weight(field: str, value: object, most: float = MAX_WEIGHT) -> float:
    """A finite number from 0 to `most`, kept to six decimals."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInputError(f"{field} must be a number, not {name_type(value)}", field=field)
    if not math.isfinite(value) or not 0 <= value <= most:
        raise InvalidInputError(f"{field} must be a number from 0 to {most:,.0f}, not {value}", field=field)
    return round(value * MICRO) / MICRO


def check_choice(field: str, value: object, choices: Sequence[str]) -> str:
    """One of the choices."""
    if not isinstance(value, str) or value not in choices:
        shown = repr(value) if isinstance(value, str) else name_type(value)
        raise InvalidInputError(f"{field} must be one of {', '.join(choices)}, not {shown}", field=field)
    return value


def check_flag(field: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{field} must be true or false, not {name_type(value)}", field=field)
    return value


def name_type(value: object) -> str:
    """What a value of a wrong type is, in words that hold for Python and for JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    named = (
        (str, "text"),
        (int, "a whole number"),
        (float, "a decimal number"),
        (list | tuple, "a list"),
        (Mapping, "an object"),
    )
    return next((name for kind, name in named if isinstance(value, kind)), f"a {type(value).__name__}")


def find_meant(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that a wrong one may stand for; None where none is as much alike (0 to 1)."""
    import difflib  # needed for messages alone

    return next(iter(difflib.get_close_matches(name, list(known), 1, likeness)), None)


def rename_fields(error: RememError, names: Mapping[str, str]) -> RememError:
    """The error for a caller who knows some of the fields by other names: in `facts["field"]`, where the message begins
    with it, and wherever the message has a field between backquotes, alone or as `name=value`."""
    field = error.facts.get("field")
    if not names or (not isinstance(field, str) and "`" not in error.message):
        return error
    message, facts = _MARKED.sub(lambda found: _rename_marked(found, names), error.message), dict(error.facts)
    if isinstance(field, str):
        facts["field"] = _rename_head(field, names)
        own = _HEAD.match(field)
        head = _HEAD.match(message)
        message = _rename_head(message, names) if own and head and own[0] == head[0] else message
    return type(error)(message, **facts)


def _rename_head(text: str, names: Mapping[str, str]) -> str:
    return _HEAD.sub(lambda found: names.get(found[0], found[0]), text, count=1)


def _rename_marked(found: re.Match[str], names: Mapping[str, str]) -> str:
    name = names.get(found[1])
    if name is None:
        return found[0]
    mark = " " if found[2] and name.startswith("-") else found[2]  # as an option of a command line has its value
    return f"`{name}{mark}{found[3]}`"
