"""What an answer says of what was not searched: texts without vectors, filters that nothing passes, an empty store.
Ranks nothing. Reads only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from remem.records import Searched, SearchQuery, SearchRequest
from remem.rendering.lines import show_count, show_time
from remem.search.service.requests import resolve_filters
from remem.storage import coverage
from remem.storage import passages as passage_rows
from remem.storage.embedded import count_embedded

if TYPE_CHECKING:
    from sqlite3 import Connection

TIMES = ("created_after", "created_before")
FILTERS = ("kinds", "tags", "sources", "roots", "memory_type", "importance_min", "importance_max", *TIMES)


def explain_vectors(
    connection: Connection, request: SearchRequest, *, searched: bool, problem: str, now: int
) -> tuple[list[str], int]:
    """What is said of a search by meaning in every answer: that it did not take place, and how many texts still wait
    for their vectors; and that number (0 for an empty query). `problem` says why the query has none; `now` is in
    milliseconds."""
    if not request.query.strip():
        return [], 0
    notes = []
    if not searched:
        instead = "searched by words alone" if request.mode == "hybrid" else "nothing can be found by meaning"
        notes.append(f"{instead}: {problem}" if problem else f"nothing is embedded yet: {instead}")
    owed, waiting = coverage.count_owed(connection, now)
    if owed:
        failed = f", {waiting} of them refused or failed and to be tried again" if waiting else ""
        notes.append(f"the index of meaning is behind: {show_count(owed, 'text')} without vectors yet{failed}")
    return notes, owed


def explain_gaps(connection: Connection, searched: Searched, owed: int) -> list[str]:
    """What a short answer by meaning says beside that: passages that have no vectors and are not going to get any by
    themselves, as the `owed` ones are."""
    passages, _ = passage_rows.count_searched(connection, passage_rows.NO_FILTERS)
    embedded = count_embedded(connection)
    missing = passages - embedded
    if not searched.passages or not embedded or missing <= owed:
        return []
    return [f"{missing} of {show_count(passages, 'passage')} without vectors: `remem embed` makes them"]


def explain_shortness(
    connection: Connection, query: SearchQuery, request: SearchRequest, total: int, searched: Searched
) -> list[str]:
    """Why an answer is empty or short."""
    if total:
        return [f"there are no hits from {request.offset} on"] if request.offset >= total else []
    if searched.nodes == 0:
        return [_explain_emptiness(connection)]
    filtered = _list_filters(request)
    if not filtered:
        return [] if searched.passages else ["no passage is indexed yet; compile again, or run `remem doctor --fix`"]
    if searched.passages == 0:
        return [f"no passage passes {_blame_filters(connection, request, filtered, None)}"]
    if request.mode == "semantic" and request.query.strip():
        passing = show_count(searched.passages, "passage")
        return [f"nothing is embedded of the {passing} that the filters let through ({_name_all(request, filtered)})"]
    if not query.expression:
        return []
    others = passage_rows.count_sections(connection, query.expression, passage_rows.NO_FILTERS)
    if not others:
        return []
    blamed = _blame_filters(connection, request, filtered, query.expression)
    matching = show_count(others, "section matches", "sections match")
    return [f"{matching} the words, but none of them passes {blamed}"]


def _explain_emptiness(connection: Connection) -> str:
    gone = coverage.count_memories(connection)
    if not gone:
        return "the store is empty: nothing is compiled yet, and no memory is stored"
    return (
        f"nothing is there to be searched: no notes, and {show_count(gone, 'memory', 'memories')} archived or expired"
    )


# --- filters ----------------------------------------------------------------------------------------------------------


def _list_filters(request: SearchRequest) -> list[str]:
    return [name for name in FILTERS if getattr(request, name) is not None]


def _blame_filters(connection: Connection, request: SearchRequest, names: list[str], expression: str | None) -> str:
    """The filters that nothing passes (of what matches the expression), each by itself; else all of them together."""
    blamed = [name for name in names if not _count_passing(connection, request, name, expression)]
    if len(names) == 1 or blamed:
        return f"the filter{'s' if len(blamed) > 1 else ''} {_name_all(request, blamed or names)}"
    return f"all of the filters together ({_name_all(request, names)})"


def _count_passing(connection: Connection, request: SearchRequest, name: str, expression: str | None) -> int:
    """How much passes one filter alone."""
    others: dict[str, Any] = {other: None for other in FILTERS if other != name}
    alone = replace(request, **others)
    filters, _ = resolve_filters(connection, alone)
    if expression is not None:
        return passage_rows.count_sections(connection, expression, filters)
    return passage_rows.count_searched(connection, filters)[0]


def _name_all(request: SearchRequest, names: list[str]) -> str:
    return "; ".join(f"{name}: {_show_value(name, getattr(request, name))}" for name in names)


def _show_value(name: str, value: Any) -> str:
    if name in TIMES:
        return show_time(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
