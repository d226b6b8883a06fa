"""Operations: one row for each method and address, with what it takes, what it answers, and the function that does it.
The routes, the checks and the document of the service are all made of these rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from remem.errors import NotFoundError
from remem.faces.rest.field_sets import FieldSet
from remem.faces.rest.fields import Field
from remem.faces.wire import Json, dump_json
from remem.keys import is_blank

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.faces.rest.changes import ChangeFeed
    from remem.faces.rest.compiles import CompileTasks
    from remem.faces.rest.metrics import Metrics
    from remem.faces.rest.options import ServerOptions

BASE = "/api/v1"
"""What all addresses of the service begin with."""
JSON_TYPE = b"application/json"
LONGEST_NAME = 4096


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose body is known. `keeps`: it may be kept, where the operation's are."""

    body: bytes
    status: int = 200
    content_type: bytes = JSON_TYPE
    headers: tuple[tuple[bytes, bytes], ...] = ()
    keeps: bool = True


@dataclass(slots=True)
class Moving:
    """An answer in which the figures of use of memories move: the parts of the body between them, as `make_moving`
    gives them, in the order of the nodes that the call noted as used. With `exact`, they are those of each instant;
    else the body that was told at `told_at` (seconds of a clock that never goes back) is told for a second, unless
    `epoch` (of the usage) has changed."""

    parts: tuple[bytes, ...]
    answer: Answer
    exact: bool = True
    told_at: float = 0.0
    epoch: int = -1


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer whose body comes in parts. `close` is called when all of it was sent, or the client is gone."""

    parts: AsyncIterator[bytes]
    content_type: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    status: int = 200
    close: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What the operations of one service share. `documents` are answers made once, by name."""

    remem: Remem
    options: ServerOptions
    compiles: CompileTasks
    changes: ChangeFeed
    metrics: Metrics
    documents: Mapping[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the segments of the path that stand for something, the values of the query and of the body (by
    name; `items` is the body where that is a list)."""

    context: Context
    places: tuple[str, ...]
    query: dict[str, Any]
    body: dict[str, Any]
    items: list[object] | None = None

    @property
    def remem(self) -> Remem:
        """The engine."""
        return self.context.remem

    @property
    def node(self) -> str:
        """The first segment that stands for something: an id or a label."""
        return self.places[0]


Handler: TypeAlias = Callable[[Call], Awaitable[Answer | Moving | Stream]]


class Operation:
    """One row. `path` has its variable segments as `{name}`; `errors` are the further statuses that may come beside
    those that any operation may have."""

    def __init__(
        self,
        method: str,
        path: str,
        handler: Handler,
        *,
        query: tuple[Field, ...] = (),
        body: tuple[Field, ...] | None = None,
        list_body: Json | None = None,
        answer: str | Json = "",
        status: int = 200,
        errors: tuple[int, ...] = (),
        content_type: str = "application/json",
        open: bool = False,
        keeps: bool = False,
        body_name: str = "",
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`body_name` is the name under which the document of the service has the schema of the body, "" for none.
        `list_body` is the schema of a list that may stand for the body as a whole. An `open` operation asks for no
        key. `answer` is the name of a schema, or a schema. What an operation that `keeps` answered is kept until
        something changes: it reads alone, and depends on nothing but the request and the store. `names` are the fields
        that the engine knows by other names: its names, with those of the request."""
        self.method, self.path, self.handler = method, path, handler
        self.query, self.body = FieldSet(query, "parameter"), None if body is None else FieldSet(body, "field")
        self.body_name, self.list_body = body_name, list_body
        self.answer, self.status, self.errors, self.content_type = answer, status, errors, content_type
        self.open, self.keeps = open, keeps
        self.segments = tuple(path.strip("/").split("/"))
        self.names = {**({"node": "id"} if "{id}" in self.segments else {}), **names}

    @property
    def name(self) -> str:
        """A name of its own, as clients made from the document call it."""
        return self.handler.__name__

    @property
    def about(self) -> str:
        """What it does: the docstring of its function, on one line."""
        return " ".join((self.handler.__doc__ or "").split())

    @property
    def takes_body(self) -> bool:
        """Whether a body may come with it."""
        return self.method in ("POST", "PUT", "PATCH")


def answer_json(value: object, status: int = 200) -> Answer:
    """A value as the answer."""
    return Answer(dump_json(value, newline=False), status)


def check_place(name: str) -> str:
    """A segment that names a node. What no node can be called is not found. Raises NotFoundError."""
    if is_blank(name) or len(name) > LONGEST_NAME or "\x00" in name:
        raise NotFoundError(f"there is nothing called {name[:80]!r}")
    return name
