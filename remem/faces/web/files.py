"""The graph page: static files that come with the package, under a policy that lets nothing else in. Holds no data."""

from __future__ import annotations

import mimetypes
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import NotFoundError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

FOLDER = Path(__file__).parent / "static"
INDEX = "index.html"
PREFIX = "/static/"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
GUARDS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
ALWAYS = b"public, max-age=31536000, immutable"
ASK = b"no-cache"


class File(NamedTuple):
    """One file as it is sent; `etag` names its bytes."""

    body: bytes
    content_type: bytes
    etag: bytes
    cache: bytes


class GraphPage:
    """The page at `/` and its files below `/static/`, as an ASGI application. Raises NotFoundError for all else."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    @cached_property
    def files(self) -> dict[str, File]:
        """All files by the address they have, read once."""
        if not (self._folder / INDEX).is_file():
            return {}
        found = {PREFIX + path.name: _read(path) for path in self._folder.iterdir() if path.is_file()}
        return {**found, "/": found[PREFIX + INDEX]}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        path: str = scope["path"]
        if not self.files:
            raise NotFoundError("this installation of Remem lacks the files of its page: install the package again")
        file = self.files.get(path)
        if file is None or scope["method"] not in ("GET", "HEAD"):
            raise NotFoundError("there is nothing at this address; the page is at /, the service below /api/v1")
        await _send(file, scope, send)


def _read(path: Path) -> File:
    body = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind.endswith("javascript"):
        kind += "; charset=utf-8"
    # The names of code and style say what they hold; the page itself keeps its name.
    cache = ALWAYS if "-" in path.stem else ASK
    return File(body, kind.encode(), b'"' + sha256(body).hexdigest()[:32].encode() + b'"', cache)


async def _send(file: File, scope: Scope, send: Send) -> None:
    known = any(name == b"if-none-match" and file.etag in value for name, value in scope["headers"])
    headers = [(b"etag", file.etag), (b"cache-control", file.cache), *GUARDS]
    if not known:
        headers += [(b"content-type", file.content_type), (b"content-length", str(len(file.body)).encode())]
    await send({"type": "http.response.start", "status": 304 if known else 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if known or scope["method"] == "HEAD" else file.body})
