"""Figures of the service for Prometheus: requests, how long they took, what is owed, how large the store is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

if TYPE_CHECKING:
    from remem.records import Stats

CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
MOST_SERIES = 4096


class Metrics:
    """The figures of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        kinds = ("method", "route")
        self._requests = Counter("remem_requests", "Requests answered", (*kinds, "status"), registry=self._registry)
        self._seconds = Histogram(
            "remem_request_seconds", "Seconds to an answer", kinds, buckets=BUCKETS, registry=self._registry
        )
        self._owed = Gauge("remem_queue_depth", "Texts that owe vectors or relations", registry=self._registry)
        self._nodes = Gauge("remem_nodes", "Nodes of the store", registry=self._registry)
        self._edges = Gauge("remem_edges", "Edges of the store", ("origin",), registry=self._registry)
        self._bytes = Gauge("remem_store_bytes", "Bytes of the store", registry=self._registry)
        self._pending = Gauge("remem_pending_edges", "Links that wait for a target", registry=self._registry)
        self._find_series = lru_cache(MOST_SERIES)(self._make_series)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts one request; status 0: there was no answer."""
        count, time = self._find_series(method, route, status)
        count.inc()
        time.observe(seconds)

    def _make_series(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        told = str(status) if status else "none"
        return self._requests.labels(method, route, told), self._seconds.labels(method, route)

    def render(self, stats: Stats) -> bytes:
        """All figures as text, those of the store among them."""
        self._owed.set(stats.owed)
        self._nodes.set(stats.nodes)
        self._bytes.set(stats.bytes)
        self._pending.set(stats.pending)
        edges: dict[str, int] = {}
        for _, origin, count in stats.edges:
            edges[origin] = edges.get(origin, 0) + count
        for origin, count in edges.items():
            self._edges.labels(origin).set(count)
        return generate_latest(self._registry)
