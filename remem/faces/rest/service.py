"""The service: finds the operation that a request means, checks what came with it, has it done and sends the answer.
Keys, hosts and limits are looked at before (`gate`), errors are told behind (`frame`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import StreamingResponse

from remem.checks import name_type, rename_fields
from remem.errors import InvalidInputError, RememError
from remem.faces.rest.bodies import check_type, load_json, parse_json, read_bytes
from remem.faces.rest.field_sets import split_query
from remem.faces.rest.moving import join_moving
from remem.faces.rest.operations import Answer, Call, Context, Moving, Operation, Stream
from remem.faces.rest.router import Router

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from remem.engine.kept import Kept

ROUTE = "remem.route"
"""Where the scope of a request keeps the template of its address, for figures and logs."""

ITEMS = "items"
"""What the engine calls a list that is a body as a whole."""

MOVE_SECONDS = 1.0
"""So long the figures of use of memories that are listed may stand."""


class Service:
    """The routes of one open store as an ASGI application. Raises RememError for what it refuses."""

    def __init__(self, context: Context, router: Router) -> None:
        self._context = context
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        operation, places = self._router.find(scope["method"], find_raw_path(scope))
        scope[ROUTE] = operation.path
        options, raw = self._context.options, b""
        if operation.takes_body:
            raw = await read_bytes(scope, receive, options.max_body_bytes, options.body_timeout)
        do = self._answer_kept if operation.keeps else self._answer_new
        answer = await do(operation, places, scope, raw)
        if isinstance(answer, Stream):
            send_parts = _send_head if scope["method"] == "HEAD" else _send_stream
            await send_parts(answer, scope, receive, send)
        else:
            await _send_answer(answer, scope["method"] == "HEAD", send)

    async def _answer_new(
        self, operation: Operation, places: tuple[str, ...], scope: Scope, raw: bytes
    ) -> Answer | Stream:
        made = await self._answer(operation, places, scope, raw)
        return made.answer if isinstance(made, Moving) else made

    async def _answer(
        self, operation: Operation, places: tuple[str, ...], scope: Scope, raw: bytes
    ) -> Answer | Moving | Stream:
        query = operation.query.read_query(scope["query_string"])
        body, items = await self._read_body(operation, scope, raw) if operation.takes_body else ({}, None)
        try:
            return await operation.handler(Call(self._context, places, query, body, items))
        except RememError as error:
            raise rename_fields(error, find_names(operation, scope["query_string"], raw)) from None

    async def _answer_kept(self, operation: Operation, places: tuple[str, ...], scope: Scope, raw: bytes) -> Answer:
        """The answer that is kept, with the figures of now, or a new one."""
        remem, asked = self._context.remem, (operation, places, scope["query_string"], raw)
        if raw:
            check_type(scope)
        kept = remem.kept.find(asked)
        if kept is None:
            with remem.probe() as probe:
                made = await self._answer(operation, places, scope, raw)
            if isinstance(made, Stream):
                raise TypeError("a stream cannot be kept")
            first = made if isinstance(made, Answer) else made.answer
            if first.keeps:
                remem.kept.keep(asked, probe, made, len(raw) + len(first.body))
            return first
        answer = kept.value if isinstance(kept.value, Answer) else await self._move(kept)
        remem.use_again(kept)
        return answer

    async def _move(self, kept: Kept) -> Answer:
        """An answer with the figures of use as they are."""
        moving, now = kept.value, time.monotonic()
        assert isinstance(moving, Moving)
        remem, keys = self._context.remem, kept.uses[0][0] if kept.uses else ()
        epoch = remem.usage.epoch
        if not moving.exact and now - moving.told_at < MOVE_SECONDS and moving.epoch == epoch:
            return moving.answer
        rows = remem.usage.find_followed(keys) if moving.exact else await remem.usage.read_now(keys)
        if rows is None:
            rows = await remem.usage.follow(keys)
        moving.answer = Answer(join_moving(moving.parts, rows, remem.usage.half_life))
        moving.told_at, moving.epoch = now, epoch
        return moving.answer

    async def _read_body(
        self, operation: Operation, scope: Scope, raw: bytes
    ) -> tuple[dict[str, object], list[object] | None]:
        if operation.body is None and not raw.strip():
            return {}, None
        check_type(scope)
        value = await parse_json(raw)
        if isinstance(value, list) and operation.list_body is not None:
            return {}, value
        if not isinstance(value, dict):
            raise InvalidInputError(f"the body must be an object, not {name_type(value)}", field="body")
        if operation.body is None:
            if value:
                raise InvalidInputError("this call takes no body: leave it out, or send {}", field=next(iter(value)))
            return {}, None
        return operation.body.read_object(value), None


def find_names(operation: Operation, query: bytes, raw: bytes) -> dict[str, str]:
    """The fields that the engine knows by other names than a request, with the names of the request."""
    used = operation.query.list_aliases(name for name, _ in split_query(query))
    if operation.body is not None and raw.strip():
        value = load_json(raw)
        if isinstance(value, list):
            return {**operation.names, ITEMS: "body"}
        used |= operation.body.list_aliases(value) if isinstance(value, dict) else {}
    return used | {own: used.get(name, name) for own, name in operation.names.items()}


def find_raw_path(scope: Scope) -> bytes:
    """The address of a request as it was sent, without the query."""
    raw: bytes | None = scope.get("raw_path")
    return quote(scope["path"]).encode() if raw is None else raw.partition(b"?")[0]


async def _send_answer(answer: Answer, bare: bool, send: Send) -> None:
    headers = [
        (b"content-type", answer.content_type),
        (b"content-length", str(len(answer.body)).encode()),
        *answer.headers,
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if bare else answer.body})


async def _send_stream(answer: Stream, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {name.decode(): value.decode("latin-1") for name, value in answer.headers}
    response = StreamingResponse(answer.parts, answer.status, headers, answer.content_type.decode())
    try:
        await response(scope, receive, send)
    finally:
        if answer.close is not None:
            answer.close()


async def _send_head(answer: Stream, scope: Scope, receive: Receive, send: Send) -> None:
    if answer.close is not None:
        answer.close()
    headers = [(b"content-type", answer.content_type), *answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
