"""The routes: which operation a method and an address mean. An address is split before it is decoded, so a label with a
slash in it is one segment. Reads no body."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from remem.errors import MalformedError, MethodError, NotFoundError
from remem.faces.rest.operations import BASE, Operation, check_place

ANY = "*"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_Tree: TypeAlias = "dict[str, _Tree | Operation]"
LEAF = ""
_PREFIX = BASE.encode() + b"/"


class Router:
    """Finds operations."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._trees: dict[str, _Tree] = {method: {} for method in METHODS}
        for operation in operations:
            self._add(operation)

    def _add(self, operation: Operation) -> None:
        tree = self._trees[operation.method]
        for segment in operation.segments:
            inner = tree.setdefault(ANY if segment.startswith("{") else segment, {})
            assert isinstance(inner, dict)
            tree = inner
        assert LEAF not in tree, f"{operation.method} {operation.path} stands twice"
        tree[LEAF] = operation

    def find(self, method: str, raw_path: bytes) -> tuple[Operation, tuple[str, ...]]:
        """The operation and the variable segments of the address.

        Raises NotFoundError, MethodError with the methods that the address takes, MalformedError.
        """
        if not raw_path.startswith(_PREFIX):
            raise NotFoundError(f"there is nothing at this address; see {BASE}/docs")
        segments = split_path(raw_path[len(_PREFIX) :])
        found = self._walk("GET" if method == "HEAD" else method, segments)
        if found is not None:
            return found
        allowed = [other for other in METHODS if self._walk(other, segments) is not None]
        if not allowed:
            raise NotFoundError(f"there is nothing at this address; see {BASE}/docs")
        allow = ", ".join([*allowed, "HEAD"] if "GET" in allowed else allowed)
        raise MethodError(f"this address does not take {method[:20]}, but {allow}", allow=allow)

    def _walk(self, method: str, segments: list[str]) -> tuple[Operation, tuple[str, ...]] | None:
        tree = self._trees.get(method)
        if tree is None:
            return None
        places: list[str] = []
        for segment in segments:
            inner = tree.get(segment) if segment not in (LEAF, ANY) else None
            if inner is None:
                inner = tree.get(ANY)
                places.append(segment)
            if not isinstance(inner, dict):
                return None
            tree = inner
        found = tree.get(LEAF)
        return (found, tuple(map(check_place, places))) if isinstance(found, Operation) else None


def split_path(raw: bytes) -> list[str]:
    """The decoded segments of an address. Raises MalformedError where one is no UTF-8."""
    try:
        if b"%" not in raw:
            return raw.decode().split("/")
        return [unquote_to_bytes(part).decode() for part in raw.split(b"/")]
    except UnicodeDecodeError:
        raise MalformedError("the address is not UTF-8 in percent-encoding") from None
