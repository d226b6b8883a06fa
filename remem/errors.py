"""The one tree of errors. Each class has a stable code; its facts are fields, its message says what was asked,
what is the case, and what to do. No error carries the content of a note."""

from __future__ import annotations


class RememError(Exception):
    """Base of everything that Remem raises on purpose."""

    code = "error"

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class InvalidInputError(RememError):
    """A value that was given is of the wrong type, range or form. `facts["field"]` names it."""

    code = "invalid_input"


class NotFoundError(RememError):
    """A node, edge, root, snapshot or file that was named does not exist."""

    code = "not_found"


class AmbiguousError(RememError):
    """A label that several nodes carry was given where one node is needed. `facts["candidates"]` lists ids."""

    code = "ambiguous"


class ConflictError(RememError):
    """The call contradicts what is stored (a root of that name elsewhere, an edge that the text owns)."""

    code = "conflict"


class RefusedError(RememError):
    """The call would lose something unless it is confirmed, or leads out of what may be read."""

    code = "refused"


class ConfigError(RememError):
    """A setting is unknown, misspelt or out of range. `facts["name"]` names it."""

    code = "config"


class StoreError(RememError):
    """The file cannot be used: not a store, on a network file system, unreadable."""

    code = "store"


class StoreNewerError(StoreError):
    """The file was written by a newer version of Remem. It is left untouched."""

    code = "store_newer"


class StoreBusyError(StoreError):
    """Another process kept the file locked for longer than the busy timeout. Try again."""

    code = "store_busy"


class StoreReadOnlyError(StoreError):
    """The file or its folder cannot be written."""

    code = "store_read_only"


class StoreFullError(StoreError):
    """The disk is full. Nothing of the call was written."""

    code = "store_full"


class StoreCorruptError(StoreError):
    """SQLite reports the file as damaged."""

    code = "store_corrupt"


class EmbedderError(RememError):
    """Texts cannot be embedded: the model is missing or altered, its endpoint fails or does not answer.
    `facts["model"]` and `facts["endpoint"]` (None: it runs here) say which. Never the key, never a text."""

    code = "embedder"


class RequestError(RememError):
    """A request to the service is refused before its operation is reached."""

    code = "request"


class MalformedError(RequestError):
    """What was sent cannot be read: no JSON, no UTF-8, cut off, a name twice."""

    code = "malformed"


class UnauthorizedError(RequestError):
    """A key is missing or wrong."""

    code = "unauthorized"


class ForbiddenError(RequestError):
    """The request comes by a host name or from a page that is not let in."""

    code = "forbidden"


class MethodError(RequestError):
    """The address takes other methods; `facts["allow"]` lists them."""

    code = "method_not_allowed"


class SlowRequestError(RequestError):
    """The body of a request did not arrive in time."""

    code = "timeout"


class TooLargeError(RequestError):
    """The body of a request has more bytes than are taken."""

    code = "too_large"


class MediaTypeError(RequestError):
    """The body of a request is of a type that is not taken."""

    code = "unsupported_media_type"


class RateLimitError(RequestError):
    """Too many requests; `facts["retry_after"]` is when to try again, in seconds."""

    code = "rate_limited"


class ShuttingDownError(RequestError):
    """The service was asked to end, and the request did not come to its end before."""

    code = "shutting_down"
