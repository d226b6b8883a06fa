"""The calls of class `Remem` for pictures of the graph: what is drawn, and where it was put. It knows no SQL and no
face."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_list, check_text, name_type
from remem.engine.base import StoreCalls
from remem.errors import InvalidInputError
from remem.limits import FARTHEST, MOST_PLACED

if TYPE_CHECKING:
    from remem.records import Picture, PlacedNode


class PictureCalls(StoreCalls):
    """How the graph is drawn. All methods raise subclasses of `remem.errors.RememError`."""

    async def picture(self, nodes: Sequence[str] = (), depth: int = 1, limit: int = 10_000) -> Picture:
        """The sections, documents, memories and entities within `depth` (0 to 5) hops of some nodes, or of the whole
        store where none is given, with what colours and filters need; the edges between them, and what waits there.
        Of more than `limit` (1 to 20 000) the nearest, and those with most edges. It warms nothing.

        Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        check_list("nodes", nodes)
        heats = self.usage.read_heats
        return await self._look(lambda veil: self.graph.draw(nodes, depth, limit, heats, veil))

    async def place(self, positions: Sequence[PlacedNode]) -> int:
        """Notes where nodes were put in a picture, so that the next one begins there; at most 20 000. Nodes that are
        unknown by now are left out; gives how many are not. No snapshot. Raises InvalidInputError."""
        from remem.storage.pictures import put_positions

        if len(check_list("positions", positions)) > MOST_PLACED:
            raise InvalidInputError(f"at most {MOST_PLACED} positions at once", field="positions")
        rows = [_check_position(number, place) for number, place in enumerate(positions)]
        return await self.storage.write(put_positions, rows)


def _check_position(number: int, place: PlacedNode) -> tuple[str, float, float]:
    field = f"positions[{number}]"
    if not isinstance(place, records.PlacedNode):
        raise InvalidInputError(f"{field} must be a PlacedNode, not {name_type(place)}", field=field)
    id = check_text(f"{field}.id", place.id, longest=200)
    for name, value in (("x", place.x), ("y", place.y)):
        wrong = isinstance(value, bool) or not isinstance(value, (int, float))
        if wrong or not math.isfinite(value) or abs(value) > FARTHEST:
            raise InvalidInputError(f"{field}.{name} must be a number up to {FARTHEST:.0f}", field=f"{field}.{name}")
    return id, float(place.x), float(place.y)
