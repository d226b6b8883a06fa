"""Pages of a recalled context: where one goes on. It chooses nothing and tells nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from remem.reading.cursors import foreign_cursor_error, mark_request
from remem.reading.passed import Passed, ShownNodes, read_passed, write_passed
from remem.records import PageRequest, Recall, RecallPlace, SearchRequest

if TYPE_CHECKING:
    from sqlite3 import Connection

Join: TypeAlias = Callable[[Sequence[int]], frozenset[int]]
Write: TypeAlias = Callable[[RecallPlace], str]
Tell: TypeAlias = "Callable[[Connection, SearchRequest, int, RecallPlace, Join, Write], tuple[Recall, list[int]]]"
"""Gives a page of so many tokens that goes on from a place, and the keys of the sections on it; `Join` gives those told
before, of a ranking, and `Write` the cursor of a place."""

_NUMBERS = 3
_STATES = 1 << 12
_LARGEST_KEY = (1 << 63) - 1


def page_recall(
    connection: Connection, asked: SearchRequest, request: PageRequest, budget: int, tell: Tell, kept: ShownNodes
) -> tuple[Recall, list[int]]:
    """A page of the context for a query, and the keys of the sections on it.

    The cursor goes on with the best of what was not told before, as all rank by then, and with the rest of a text that
    was cut. Raises InvalidInputError for a cursor of another request, or where what was told is not known any more.
    """
    mark = mark_request("recall", asked)
    passed, start = Passed(), RecallPlace()
    if request.cursor is not None:
        passed = read_passed(mark, request.cursor, kept, always=_NUMBERS)
        start = _read_place(passed)

    def join(ranked: Sequence[int]) -> frozenset[int]:
        return passed.join([section for section in ranked if section != start.section][: passed.first])

    def write(place: RecallPlace) -> str:
        kept.keep(place.told)
        always = place.whole, place.section, place.text * _STATES + place.state
        return write_passed(mark, place.told, budget // 2, always=always)

    return tell(connection, asked, budget, start, join, write)


def _read_place(passed: Passed) -> RecallPlace:
    whole, section, text = passed.always
    if not whole or max(whole, section, text) > _LARGEST_KEY:
        raise foreign_cursor_error()
    return RecallPlace(whole, passed.nodes, passed.first, section, text // _STATES, text % _STATES)
