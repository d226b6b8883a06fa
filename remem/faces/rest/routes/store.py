"""Operations on the store and the service: figures, health, the document."""

from __future__ import annotations

import time
from functools import partial

from remem import __version__
from remem.errors import StoreError
from remem.faces import wire
from remem.faces.rest.copies import make_copy, remove_copy, stream_copy
from remem.faces.rest.metrics import CONTENT_TYPE
from remem.faces.rest.operations import Answer, Call, Operation, Stream, answer_json


async def read_stats(call: Call) -> Answer:
    """The figures of the store, and how its graph hangs together."""
    return answer_json(wire.show_figures(await call.remem.stats(), await call.remem.graph_figures()))


async def check_health(call: Call) -> Answer:
    """Whether the service lives."""
    return answer_json({"status": "ok", "version": __version__})


async def check_ready(call: Call) -> Answer:
    """Whether the store can be used."""
    try:
        await call.remem.check()
    except StoreError as error:
        # Anybody may ask this: where the file lies is for those who have the key.
        raise type(error)(error.message.replace(call.remem.storage.path, "of this service")) from None
    return answer_json({"status": "ready", "version": __version__})


async def read_metrics(call: Call) -> Answer:
    """Figures for Prometheus."""
    return Answer(call.context.metrics.render(await call.remem.stats()), content_type=CONTENT_TYPE)


async def send_backup(call: Call) -> Stream:
    """A consistent copy of the store, of the instant of the call; writes go on meanwhile."""
    folder, size = await make_copy(call.remem)
    name = time.strftime("remem-%Y%m%dT%H%M%SZ.db", time.gmtime())
    headers = (
        (b"content-length", str(size).encode()),
        (b"content-disposition", f'attachment; filename="{name}"'.encode()),
    )
    close = partial(remove_copy, folder)
    return Stream(stream_copy(folder), b"application/vnd.sqlite3", headers, close=close)


async def read_document(call: Call) -> Answer:
    """This description of the service, as OpenAPI 3.1."""
    return call.context.documents["openapi.json"]


async def read_docs(call: Call) -> Answer:
    """The same as a page to read, which works without internet."""
    return call.context.documents["docs"]


OPERATIONS = (
    Operation("GET", "/stats", read_stats, answer="Stats"),
    Operation("GET", "/health", check_health, answer="Health", open=True),
    Operation("GET", "/ready", check_ready, answer="Health", open=True),
    Operation("GET", "/metrics", read_metrics, content_type="text/plain"),
    Operation("POST", "/backup", send_backup, content_type="application/vnd.sqlite3"),
    Operation("GET", "/openapi.json", read_document, answer={"type": "object"}, open=True),
    Operation("GET", "/docs", read_docs, content_type="text/html", open=True),
)
