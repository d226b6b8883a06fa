"""The bound on bodies for applications that read them by themselves. Those of the service's own operations are bounded
where they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces.rest.bodies import check_length, refuse_size

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Lets at most `limit` bytes of a body through. Raises TooLargeError at the byte that is too much."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Bounds one request."""
        check_length(scope, self._limit)
        left = self._limit

        async def receive_bounded() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise refuse_size(self._limit)
            return message

        await self._app(scope, receive_bounded, send)
