"""Reads the body of a request that asks for another protocol beside it, as curl and Java do for HTTP/2: httptools takes
such a request to end with its head. The protocol is not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httptools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LENGTHS = (b"content-length", b"transfer-encoding")


class BodyReader:
    """What a parser calls that is given the rest of a request. What follows that is passed over."""

    def __init__(self, protocol: HttpToolsProtocol) -> None:
        self._protocol: HttpToolsProtocol | None = protocol

    def on_body(self, body: bytes) -> None:
        """Takes a part of the body."""
        if self._protocol is not None:
            self._protocol.on_body(body)

    def on_message_complete(self) -> None:
        """The body is whole."""
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            protocol.on_message_complete()


def read_body(protocol: HttpToolsProtocol, headers: Iterable[tuple[bytes, bytes]], rest: bytes) -> None:
    """Has the protocol read a body where the headers tell of one; `rest` are the bytes that came with them. Raises
    HttpParserError."""
    lengths = [b"%b: %b\r\n" % header for header in headers if header[0] in LENGTHS]
    if not lengths:
        return
    protocol.cycle.more_body = True
    protocol.cycle.message_event.clear()
    protocol.parser = httptools.HttpRequestParser(BodyReader(protocol))
    protocol.parser.feed_data(b"POST / HTTP/1.1\r\n%b\r\n" % b"".join(lengths))
    protocol.parser.feed_data(rest)
