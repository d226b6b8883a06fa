"""Values as JSON: fields of records, times, and the bytes of a whole answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from operator import attrgetter
from typing import TypeAlias

from remem.errors import InvalidInputError

Json: TypeAlias = dict[str, object]

FATES = ("added", "modified", "moved", "removed")
"""What may become of nodes: under these names reports have them, or their number."""


def pick_fields(*names: str) -> Callable[[object], Json]:
    """A function that shows those fields of a record (two or more) under their own names."""
    read = attrgetter(*names)
    return lambda record: dict(zip(names, read(record), strict=True))


def dump_json(value: object, *, newline: bool = True) -> bytes:
    """Compact JSON in UTF-8. Half a surrogate pair, as a path of undecodable bytes holds it, becomes `?`."""
    import orjson  # faces that print text do not pay for it

    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE if newline else 0)
    except TypeError:
        return orjson.dumps(_drop_surrogates(value), option=orjson.OPT_APPEND_NEWLINE if newline else 0)


def _drop_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _drop_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_drop_surrogates(inner) for inner in value]
    return value


def read_time(field: str, text: str) -> int:
    """The milliseconds of a time as people write it: `2026-03-02`, `2026-03-02T09:30:00Z`; UTC unless it says another
    zone. Raises InvalidInputError that names the field."""
    try:
        moment = datetime.fromisoformat(text.strip())
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1000)
    except (ValueError, OverflowError):
        message = f"{field} must be a time like 2026-03-02 or 2026-03-02T09:30:00Z, not {text[:80]!r}"
        raise InvalidInputError(message, field=field) from None


def show_time(milliseconds: int) -> str:
    """A time as `2026-03-02T09:30:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
