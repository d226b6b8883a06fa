"""What a traversal may be asked: the ranges and names of a request. Knows no graph."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

from remem.errors import InvalidInputError
from remem.limits import DEEPEST_WALK, DIRECTIONS, RANKS, SCOPES
from remem.records import (
    KINDS,
    MAX_WEIGHT,
    MICRO,
    ORIGINS,
    RELATIONSHIP_TYPES,
    TraversalRequest,
)


def check_request(request: TraversalRequest) -> None:
    """Refuses what is out of range; nothing is ever clamped.

    Raises:
        InvalidInputError: `facts["field"]` names the field.
    """
    _check_choice("direction", request.direction, DIRECTIONS)
    _check_choice("scope", request.scope, SCOPES)
    _check_choice("rank", request.rank, RANKS)
    _check_whole("anchor", request.anchor, None)
    _check_whole("depth", request.depth, DEEPEST_WALK)
    if request.limit is not None:
        _check_whole("limit", request.limit, None)
    _check_weight(request.weight_min)
    _check_names("types", request.types, RELATIONSHIP_TYPES)
    _check_names("origins", request.origins, ORIGINS)
    _check_names("kinds", request.kinds, KINDS)


def scale_weight(weight: float) -> int:
    """The least whole number of millionths that is not below `weight`, read as the decimal number it is written as."""
    return int((Decimal(repr(weight)) * MICRO).to_integral_value(ROUND_CEILING))


def list_codes(names: tuple[str, ...] | None, known: tuple[str, ...]) -> tuple[int, ...]:
    """The codes of the names; None means all."""
    return tuple(range(len(known))) if names is None else tuple(known.index(name) for name in names)


def _check_choice(field: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{field} must be one of {', '.join(known)}, not {value!r}.", field=field, value=value)


def _check_whole(field: str, value: object, top: int | None) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < 1 or (top is not None and value > top):  # type: ignore[operator]
        wanted = "at least 1" if top is None else f"from 1 to {top}"
        raise InvalidInputError(f"{field} must be a whole number {wanted}, not {value!r}.", field=field, value=value)


def _check_weight(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not 0 <= value <= MAX_WEIGHT:  # type: ignore[arg-type, operator]
        message = f"weight_min must be a number from 0 to {MAX_WEIGHT:,.0f}, not {value!r}."
        raise InvalidInputError(message, field="weight_min", value=value)


def _check_names(field: str, values: object, known: tuple[str, ...]) -> None:
    if values is None:
        return
    if not isinstance(values, tuple):
        raise InvalidInputError(f"{field} must be a list of names, not {values!r}.", field=field, value=values)
    for value in values:
        if not isinstance(value, str) or value not in known:
            message = f"{field} must be one of {', '.join(known)}, not {value!r}"
            raise InvalidInputError(message, field=field, value=value)
