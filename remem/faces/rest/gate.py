"""The gate: who may come in. Host and Origin against DNS rebinding, keys, how many requests, other origins' pages.
Everything behind it has passed. It reads no body and tells nobody which of the keys is wrong."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from remem.errors import ForbiddenError, MalformedError, UnauthorizedError
from remem.faces.rest.options import LOCAL_HOSTS, ServerOptions
from remem.faces.rest.rates import RateLimiter

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ALLOWED_METHODS = b"GET, HEAD, POST, PUT, PATCH, DELETE"
ALLOWED_HEADERS = (
    b"authorization, content-type, x-api-key, x-request-id, last-event-id, mcp-session-id, mcp-protocol-version,"
    b" mcp-method, mcp-name"
)
EXPOSED_HEADERS = b"x-request-id, retry-after, mcp-session-id"
PREFLIGHT_SECONDS = b"600"
SHARED = "remem.origin"
"""Where the scope of a request keeps the origin of the page that may read the answer, whatever that is."""
ALL = "*"


class Gate:
    """Lets requests through to an application, or raises MalformedError, ForbiddenError, UnauthorizedError,
    RateLimitError.

    `open_paths` ask for no key; one that ends in `/` and is longer than that stands for all below it.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions, open_paths: Collection[str] = ()) -> None:
        self._app = app
        self._keys = [key.encode() for key in options.api_keys]
        self._hosts = frozenset(host.lower() for host in (*LOCAL_HOSTS, *options.allowed_hosts))
        self._check_hosts = options.check_hosts
        self._origins = frozenset(origin.lower().rstrip("/") for origin in options.cors_origins)
        self._open = frozenset(path for path in open_paths if path == "/" or not path.endswith("/"))
        self._open_folders = tuple(path for path in open_paths if path != "/" and path.endswith("/"))
        self._rates = RateLimiter(options.rate_limit) if options.rate_limit else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks one request and passes it on."""
        headers = _pick_headers(scope)
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._check_hosts and strip_port(host) not in self._hosts:
            raise ForbiddenError(
                f"the host {host[:80]!r} is not one of this service: use localhost or 127.0.0.1, or name it in the"
                " setting [server] allowed_hosts"
            )
        origin = headers.get(b"origin")
        if origin is not None:
            shown = origin.decode("latin-1")
            shared = self._check_origin(shown, host)
            if shared and scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                await _answer_preflight(origin, send)
                return
            if shared:
                scope[SHARED] = origin
        elif is_slipped(headers):
            raise ForbiddenError("pages of other origins may not have a browser load anything from this service")
        if self._rates is not None:  # before the key: guesses count too
            client = scope.get("client")
            self._rates.count(client[0] if client else "")
        self._check_key(scope["path"], headers)
        await self._app(scope, receive, send)

    def _check_origin(self, origin: str, host: str) -> bool:
        """Whether the answer is to be shared with a page of another origin. Raises ForbiddenError."""
        folded = origin.lower()
        if folded in self._origins or ALL in self._origins:
            return True
        if host and folded in (f"http://{host}", f"https://{host}"):
            return False
        raise ForbiddenError(
            f"pages of {origin[:80]!r} may not call this service; the setting [server] cors_origins lists who may"
        )

    def _check_key(self, path: str, headers: dict[bytes, bytes]) -> None:
        if not self._keys or path in self._open or path.startswith(self._open_folders):
            return
        given = find_key(headers)
        if given is None:
            raise UnauthorizedError("a key is needed: send the header `Authorization: Bearer KEY` or `X-API-Key: KEY`")
        # All keys are compared, each in constant time.
        if not sum(hmac.compare_digest(given, key) for key in self._keys):
            raise UnauthorizedError("the key is not valid here")


def find_key(headers: dict[bytes, bytes]) -> bytes | None:
    """The key that a request shows: as it stands in X-API-Key or after Bearer, in UTF-8."""
    scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() == b"bearer" and key.strip():
        return key.strip()
    return headers.get(b"x-api-key") or None


def is_slipped(headers: dict[bytes, bytes]) -> bool:
    """Whether a page of another site has the browser load this as a picture, script or frame: no Origin says so then,
    and nothing but reading it heats nodes and takes time. A link that a person follows is none."""
    return headers.get(b"sec-fetch-site") == b"cross-site" and headers.get(b"sec-fetch-dest") != b"document"


def strip_port(host: str) -> str:
    """A host without its port."""
    name, mark, port = host.rpartition(":")
    return name if mark and port.isdigit() and (":" not in name or name.endswith("]")) else host


_ONCE = frozenset(
    (
        *(b"host", b"origin", b"authorization", b"x-api-key", b"content-type"),
        *(b"access-control-request-method", b"sec-fetch-site", b"sec-fetch-dest"),
    )
)


def _pick_headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers that decide. Raises MalformedError where one stands twice: another reader might take the other."""
    picked = [header for header in scope["headers"] if header[0] in _ONCE]
    found = dict(picked)
    if len(found) < len(picked):
        twice, _ = Counter(name for name, _ in picked).most_common(1)[0]
        raise MalformedError(f"the request has the header {twice.decode()} twice")
    return found


async def _answer_preflight(origin: bytes, send: Send) -> None:
    headers = [
        *list_shared(origin),
        (b"access-control-allow-methods", ALLOWED_METHODS),
        (b"access-control-allow-headers", ALLOWED_HEADERS),
        (b"access-control-max-age", PREFLIGHT_SECONDS),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def list_shared(origin: bytes) -> list[tuple[bytes, bytes]]:
    """The headers that let a page of another origin read an answer."""
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", EXPOSED_HEADERS),
        (b"vary", b"Origin"),
    ]
