"""Temperatures held for a walk over pages: what its first page saw holds for the later ones, though being listed warms.
It reads nothing itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from remem.records import Heat
from remem.usage.temperature import Thermometer

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_WALKS = 32
"""So many walks are remembered, those that began last."""


class HeldHeats:
    """The heats of one walk, each as it was when it was first asked for. A `Thermometer` by its method `read`."""

    def __init__(self, thermometer: Thermometer) -> None:
        self._thermometer = thermometer
        self._heats: dict[int, Heat] = {}

    def read(self, connection: Connection, keys: Iterable[int]) -> Mapping[int, Heat]:
        """The heats of the nodes by key."""
        wanted = list(keys)
        missing = [key for key in wanted if key not in self._heats]
        if missing:
            self._heats.update(self._thermometer(connection, missing))
        return {key: self._heats[key] for key in wanted if key in self._heats}


class Walks:
    """The walks of one open store by what they asked for."""

    def __init__(self) -> None:
        self._walks: OrderedDict[Hashable, HeldHeats] = OrderedDict()

    def find(self, asked: Hashable, thermometer: Thermometer, *, begins: bool) -> HeldHeats:
        """The heats of a walk that begins, or goes on."""
        held = None if begins else self._walks.get(asked)
        if held is None:
            held = HeldHeats(thermometer)
        self._walks[asked] = held
        self._walks.move_to_end(asked)
        while len(self._walks) > MOST_WALKS:
            self._walks.popitem(last=False)
        return held
