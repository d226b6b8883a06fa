"""Server-sent events: how one is written, and how often a stream says that it is alive while nothing happens."""

from __future__ import annotations

from remem.faces.wire import Json, dump_json

EVENT_STREAM = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
HEARTBEAT = b": still here\n\n"


def write_event(name: str, data: Json, number: int | None = None) -> bytes:
    """One event; `number` is its id."""
    id = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (name.encode(), id, dump_json(data, newline=False))
