"""Requests of a search: values checked, filters resolved. Ranks nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from remem.checks import (
    check_choice,
    check_flag,
    check_int,
    check_text,
    check_time,
    check_weight,
    check_words,
    name_type,
)
from remem.errors import InvalidInputError
from remem.keys import strict_key
from remem.limits import DEFAULT_SPREAD, LARGEST_SEARCH_OFFSET, MOST_FILTERS, MOST_HITS, SEARCH_MODES
from remem.records import (
    DEFAULT_IMPORTANCE,
    KINDS,
    MEMORY_TYPES,
    MemoryFilter,
    SearchRequest,
)
from remem.rendering.lines import show_time
from remem.search.places import choose_sources, fits_source, fold_path
from remem.storage import memories as memory_rows
from remem.storage import outline
from remem.storage.lists import json_list
from remem.storage.passages import Filters

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T", int, float)


def check_request(
    query: object,
    mode: object = "hybrid",
    limit: object = 10,
    offset: object = 0,
    kinds: object = None,
    tags: object = None,
    sources: object = None,
    roots: object = None,
    *,
    explain: object = False,
    spread: object = DEFAULT_SPREAD,
    memory_type: object = None,
    importance_min: object = None,
    importance_max: object = None,
    created_after: object = None,
    created_before: object = None,
    related_to: object = None,
) -> SearchRequest:
    """A search call with its values checked; None and any text are queries. Raises InvalidInputError."""
    if query is not None and not isinstance(query, str):
        raise InvalidInputError(f"query must be text, not {name_type(query)}", field="query")
    named = _check_names("kinds", kinds)
    request = SearchRequest(
        query=query or "",
        mode=check_choice("mode", mode, SEARCH_MODES),
        limit=check_int("limit", limit, 1, MOST_HITS),
        offset=check_int("offset", offset, 0, LARGEST_SEARCH_OFFSET),
        kinds=None if named is None else tuple(check_choice("kinds", kind, KINDS) for kind in named),
        tags=_check_names("tags", tags),
        sources=_check_names("sources", sources),
        roots=_check_names("roots", roots),
        explain=check_flag("explain", explain),
        spread=check_weight("spread", spread, 1.0),
        memory_type=None if memory_type is None else check_choice("memory_type", memory_type, MEMORY_TYPES),
        importance_min=_check_share("importance_min", importance_min),
        importance_max=_check_share("importance_max", importance_max),
        created_after=None if created_after is None else check_time("created_after", created_after),
        created_before=None if created_before is None else check_time("created_before", created_before),
        related_to=None if related_to is None else check_text("related_to", related_to, longest=4096),
    )
    _check_range("importance_min", request.importance_min, "importance_max", request.importance_max, str)
    _check_range("created_after", request.created_after, "created_before", request.created_before, show_time)
    return request


def _check_range(least_name: str, least: T | None, most_name: str, most: T | None, show: Callable[[T], str]) -> None:
    if least is not None and most is not None and least > most:
        message = f"{least_name} {show(least)} is above `{most_name}` {show(most)}: nothing could pass"
        raise InvalidInputError(message, field=least_name)


def _check_share(field: str, value: object) -> float | None:
    return None if value is None else check_weight(field, value, 1.0)


def _check_names(field: str, values: object) -> tuple[str, ...] | None:
    """A filter: a text or a list of texts. An empty list filters nothing, as None does."""
    if values is None:
        return None
    listed = check_words(field, values)
    if len(listed) > MOST_FILTERS:
        raise InvalidInputError(f"{field} has {len(listed)} entries; at most {MOST_FILTERS} are taken", field=field)
    return tuple(check_text(field, value, longest=4096) for value in listed) or None


# --- filters ----------------------------------------------------------------------------------------------------------


def resolve_filters(connection: Connection, request: SearchRequest) -> tuple[Filters, list[str]]:
    """The filters as the store applies them, and notes on those that nothing fits."""
    tags = None if request.tags is None else json_list(sorted({strict_key(tag.lstrip("#")) for tag in request.tags}))
    kinds = None if request.kinds is None else json_list(request.kinds)
    if request.roots is None and request.sources is None and not has_memory_filter(request):
        return Filters(None, tags, kinds), []
    places = [(key, root, source) for key, (root, source) in outline.load_places(connection).items()]
    roots = {root for _, root, _ in places}
    notes = [f"there is no root {name}" for name in sorted(set(request.roots or ()) - roots)]
    documents = [*_list_notes(places, request), *_list_memories(connection, request)]
    return Filters(json_list(documents), tags, kinds), notes


def has_memory_filter(request: SearchRequest) -> bool:
    """Whether something is asked for that tells memories apart."""
    return any(value is not None for value in (*_list_times(request), request.importance_min, request.importance_max))


def _list_times(request: SearchRequest) -> tuple[object, ...]:
    """Filters that no note passes."""
    return request.memory_type, request.created_after, request.created_before


def _list_notes(places: Sequence[tuple[int, str, str]], request: SearchRequest) -> list[int]:
    """The documents that pass the filters. The importance of a note is the middle one."""
    least, most = _bound_importance(request)
    if any(value is not None for value in _list_times(request)) or not least <= DEFAULT_IMPORTANCE <= most:
        return []
    if request.roots is not None:
        places = [place for place in places if place[1] in request.roots]
    if request.sources is not None:
        wanted = [fold_path(source) for source in request.sources]
        places = [place for place in places if any(fits_source(place[1], place[2], path) for path in wanted)]
    return [key for key, _, _ in places]


def _list_memories(connection: Connection, request: SearchRequest) -> list[int]:
    """The memories that pass the filters; no memory lies in a root."""
    if request.roots is not None:
        return []
    sources: tuple[str, ...] = ()
    if request.sources is not None:
        sources = choose_sources(memory_rows.list_sources(connection), request.sources)
        if not sources:
            return []
    least, most = _bound_importance(request)
    wanted = MemoryFilter(
        memory_type=request.memory_type,
        importance_min=least,
        importance_max=most,
        sources=sources,
        created_after=request.created_after,
        created_before=request.created_before,
    )
    return [match.node for match in memory_rows.list_matching(connection, wanted, "created_at", ())]


def _bound_importance(request: SearchRequest) -> tuple[float, float]:
    least, most = request.importance_min, request.importance_max
    return 0.0 if least is None else least, 1.0 if most is None else most
