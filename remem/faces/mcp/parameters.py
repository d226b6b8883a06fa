"""Parameters that several tools share."""

from __future__ import annotations

from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.tools import Arguments
from remem.faces.wire import read_time
from remem.limits import MIN_BUDGET
from remem.records import KINDS, MEMORY_TYPES

TIMES = ("created_after", "created_before")

ANCHOR = Parameter("anchor", "string", "id or label", required=True)
NODE = Parameter("node_id", "string", "id or label", required=True)
CURSOR = Parameter("cursor", "string")
TYPE = Parameter("memory_type", "string", choices=MEMORY_TYPES, listed=False)
LEAST, MOST = Parameter("importance_min", "number"), Parameter("importance_max", "number")  # the engine has the bounds
AFTER, BEFORE = Parameter("created_after", "string", "time, ISO 8601"), Parameter("created_before", "string")
FILTERS = (
    Parameter("kinds", "array", choices=KINDS, listed=False),
    Parameter("tags", "array"),
    Parameter("sources", "array"),
    Parameter("roots", "array"),
    TYPE,
    LEAST,
    MOST,
    *(Parameter(name, "string") for name in TIMES),
    Parameter("related_to", "string"),
)
"""What narrows a search down, for a tool that need not say it again."""


def budget_parameter(default: int | None = None) -> Parameter:
    """The tokens that an answer may have."""
    return Parameter("budget", "integer", default=default, least=MIN_BUDGET)


def depth_parameter(default: int, least: int, most: int) -> Parameter:
    """How far to go."""
    return Parameter("depth", "integer", default=default, least=least, most=most)


PAGING = (budget_parameter(), CURSOR)


def choose_given(given: Arguments, *names: str) -> dict[str, object]:
    """Those of the arguments that were given."""
    return {name: given[name] for name in names if given[name] is not None}


def read_times(given: Arguments) -> dict[str, int]:
    """The times among the arguments, in milliseconds."""
    return {name: read_time(name, given[name]) for name in TIMES if given[name] is not None}
