"""How many requests a client may make in a minute. Keeps figures in memory, of the clients of the last minute alone."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from remem.errors import RateLimitError

MINUTE = 60.0
MOST_CLIENTS = 10_000


class RateLimiter:
    """Buckets that hold `limit` requests and fill again within a minute, one for each client."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = float(limit)
        self._pace = limit / MINUTE
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, client: str) -> None:
        """Counts one request. Raises RateLimitError that says when there is room again."""
        now = self._clock()
        left, at = self._buckets.pop(client, (self._limit, now))
        left = min(self._limit, left + (now - at) * self._pace)
        refused = left < 1
        self._buckets[client] = (left if refused else left - 1, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        if refused:
            seconds = max(1, math.ceil((1 - left) / self._pace))
            raise RateLimitError(
                f"more than {self._limit:.0f} requests in a minute: try again in {seconds} s", retry_after=seconds
            )
