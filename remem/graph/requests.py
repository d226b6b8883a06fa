"""What a traversal may be asked: the ranges and names of a request. Knows no graph."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from remem.checks import check_choice, check_int, check_weight
from remem.limits import DEEPEST_WALK, DIRECTIONS, LARGEST_OFFSET, RANKS, SCOPES
from remem.records import KINDS, MICRO, ORIGINS, RELATIONSHIP_TYPES, TraversalRequest


def check_request(request: TraversalRequest) -> None:
    """Refuses what is out of range; nothing is ever clamped.

    Raises:
        InvalidInputError: `facts["field"]` names the field.
    """
    check_choice("direction", request.direction, DIRECTIONS)
    check_choice("scope", request.scope, SCOPES)
    check_choice("rank", request.rank, RANKS)
    check_int("depth", request.depth, 1, DEEPEST_WALK)
    check_weight("weight_min", request.weight_min)
    if request.limit is not None:
        check_int("limit", request.limit, 1, LARGEST_OFFSET)
    names = (("types", request.types, RELATIONSHIP_TYPES), ("origins", request.origins, ORIGINS))
    for field, given, known in (*names, ("kinds", request.kinds, KINDS)):
        for name in given or ():
            check_choice(field, name, known)


def scale_weight(weight: float) -> int:
    """The least whole number of millionths that is not below `weight`, read as the decimal number it is written as."""
    return int((Decimal(repr(weight)) * MICRO).to_integral_value(ROUND_CEILING))


def list_codes(names: tuple[str, ...] | None, known: tuple[str, ...]) -> tuple[int, ...]:
    """The codes of the names; None means all."""
    return tuple(range(len(known))) if names is None else tuple(known.index(name) for name in names)
