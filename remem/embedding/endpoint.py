"""One HTTP endpoint that answers JSON: posts a body, waits no longer than it may, tries again where that can help.

It knows nothing of embeddings. No message of its errors holds the key, a body or an answer.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from remem.errors import ConfigError, EmbedderError

MAX_ANSWER = 64_000_000
"""Bytes; a longer answer is refused."""
MAX_WAIT = 30.0
"""Seconds between two attempts at most, also where the endpoint asks for more."""
FIRST_WAIT = 0.5
_TRY_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))


class _RetryError(Exception):
    """An attempt failed in a way that another one may not. `wait`: what the endpoint asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where texts are sent. `url` is the service's base; `read_timeout` bounds one whole answer, `retries` is how often
    a failed attempt is repeated, all in seconds. `pause` waits between attempts; it returns true where to give up."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    connect_timeout: float = 5.0
    read_timeout: float = 60.0
    retries: int = 3
    pause: Callable[[float], bool | None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if not is_place(self.url):
            raise ConfigError(
                "[embedding] url must be http:// or https:// with a host, without user, password, query and fragment",
                name="embedding.url",
            )
        if not self.key.isascii() or not self.key.isprintable():
            raise ConfigError("[embedding] api_key holds characters that no key has", name="embedding.api_key")

    def post(self, path: str, body: dict[str, object]) -> Any:
        """The JSON answer to a body. Raises EmbedderError after the last attempt, at once where no other can help."""
        data = json.dumps(body).encode()
        wait = FIRST_WAIT
        for left in range(self.retries, -1, -1):
            try:
                return self._post_once(path, data)
            except _RetryError as error:
                if left == 0:
                    raise self.fail(error.reason) from None
                if self.pause(min(MAX_WAIT, wait if error.wait is None else error.wait)):
                    raise self.fail(error.reason) from None
            wait *= 2
        raise self.fail("it was not asked")

    def fail(self, reason: str) -> EmbedderError:
        """The error that names endpoint and model."""
        return EmbedderError(
            f"the embedding endpoint {self.url} (model {self.model}) failed: {reason}",
            endpoint=self.url,
            model=self.model,
        )

    def _post_once(self, path: str, data: bytes) -> Any:
        connection = self._connect()
        sock = connection.sock
        connection.sock = _TimedSocket(sock, time.monotonic() + self.read_timeout)
        try:
            connection.request("POST", urlsplit(self.url).path.rstrip("/") + path, data, self._make_headers())
            answer = connection.getresponse()
            content = answer.read(MAX_ANSWER + 1) if answer.status == 200 else b""
        except TimeoutError:
            raise _RetryError(f"no whole answer within {self.read_timeout:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            raise _RetryError(f"the connection broke ({type(error).__name__})") from None
        finally:
            connection.close()
            sock.close()
        self._check_answer(answer, content)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self.fail("its answer is not JSON") from None

    def _connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.connect_timeout)
        try:
            connection.connect()
        except TimeoutError:
            raise _RetryError(f"no connection within {self.connect_timeout:g} s") from None
        except ssl.SSLCertVerificationError:
            raise self.fail("its certificate is not trusted") from None
        except socket.gaierror:
            raise _RetryError("its host is not known") from None
        except (OSError, UnicodeError) as error:
            raise _RetryError(f"no connection ({getattr(error, 'strerror', None) or type(error).__name__})") from None
        return connection

    def _make_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return headers

    def _check_answer(self, answer: http.client.HTTPResponse, content: bytes) -> None:
        if len(content) > MAX_ANSWER:
            raise self.fail(f"its answer is longer than {MAX_ANSWER} bytes")
        status = answer.status
        if status == 200:
            if answer.length:  # what is still to come by the header
                raise _RetryError("its answer was cut off")
            return
        if status in _TRY_AGAIN:
            raise _RetryError(f"it answered {status}", parse_wait(answer.getheader("Retry-After")))
        hints = {
            401: "the key is missing or wrong",
            403: "the key may not do this",
            404: "there is no such model or path",
        }
        hint = hints.get(status, "redirects are not followed" if 300 <= status < 400 else "the request was refused")
        raise self.fail(f"it answered {status}: {hint}")


class _TimedSocket:
    """A socket for http.client whose operations all end at one deadline: a timeout for each read would let an endpoint
    drip for ever. Who made the socket closes it."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def set_timeout(self) -> socket.socket:
        """The socket with what is left of the time. Raises TimeoutError."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._sock

    def sendall(self, data: bytes) -> None:
        """Send all of it in time."""
        self.set_timeout().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What is received, as a file."""
        return io.BufferedReader(_TimedReader(self))

    def close(self) -> None:
        """Nothing: an answer is still to be read when http.client closes its side."""


class _TimedReader(io.RawIOBase):
    """The receiving half of a timed socket."""

    def __init__(self, sock: _TimedSocket) -> None:
        self._timed = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.set_timeout().recv_into(buffer)


def is_place(url: str) -> bool:
    """Whether a URL is one that requests can be sent below, and can be shown to anyone."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    plain = url.isprintable() and " " not in url and parts.path.isascii()
    return usable and plain and not (parts.query or parts.fragment or "@" in parts.netloc)


def parse_wait(header: str | None) -> float | None:
    """The seconds of a Retry-After header; None where it says none (a date counts as none)."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
