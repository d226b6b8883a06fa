"""The bounds on bodies for applications that read them by themselves. Those of the service's own operations are bounded
where they are read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from remem.faces.rest.bodies import check_length, refuse_size, refuse_slowness

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Lets at most `limit` bytes of a body through. Raises TooLargeError at the byte that is too much, SlowRequestError
    where it has not come whole after so many seconds."""

    def __init__(self, app: ASGIApp, limit: int, seconds: float) -> None:
        self._app = app
        self._limit = limit
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Bounds one request."""
        check_length(scope, self._limit)
        left, whole = self._limit, False
        deadline = asyncio.get_running_loop().time() + self._seconds

        async def receive_bounded() -> Message:
            nonlocal left, whole
            try:
                # Once the body is there, one waits for the client to leave.
                async with asyncio.timeout_at(None if whole else deadline):
                    message = await receive()
            except TimeoutError:
                raise refuse_slowness(self._seconds) from None
            left -= len(message.get("body", b""))
            whole = not message.get("more_body")
            if left < 0:
                raise refuse_size(self._limit)
            return message

        await self._app(scope, receive_bounded, send)
