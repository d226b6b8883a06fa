"""The body of a request: its bytes, within bounds of size and time, and the JSON in them. Knows no operation."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson

from remem.errors import MalformedError, MediaTypeError, SlowRequestError, TooLargeError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

LONG_BODY = 100_000
"""Bodies of more bytes are parsed on a thread, so that other calls go on meanwhile."""
KEY_MARK = b'":'
HALF_MARK = b"\\ud"
"""How a body writes half a surrogate pair, in small letters."""
LONGEST_KEY = 80
LARGEST_WHOLE = float(1 << 63)

_HALF = re.compile("[\ud800-\udfff]")


class Disconnected(Exception):
    """The client went away while it was listened to; nobody waits for an answer."""


def find_header(scope: Scope, name: bytes) -> str | None:
    """A header of a request, None where it is not there; the first of several."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


async def read_bytes(scope: Scope, receive: Receive, limit: int, seconds: float) -> bytes:
    """The whole body. Raises TooLargeError as soon as more than `limit` bytes are announced or come, SlowRequestError,
    MalformedError; Disconnected where the client is gone."""
    check_length(scope, limit)
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                return _measure(message.get("body", b""), limit)
            return await _read_rest(message, receive, limit)
    except TimeoutError:
        raise refuse_slowness(seconds) from None


def check_length(scope: Scope, limit: int) -> None:
    """Refuses a body that is announced with more than `limit` bytes. Raises TooLargeError, MalformedError."""
    announced = find_header(scope, b"content-length")
    if announced is None:
        return
    if not announced.isascii() or not announced.isdigit():
        raise MalformedError("Content-Length is no number")
    if len(announced) > 18 or int(announced) > limit:
        raise refuse_size(limit)


async def _read_rest(message: object, receive: Receive, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    current = message if isinstance(message, dict) else {}
    while True:
        if current["type"] != "http.request":
            raise Disconnected
        part = current.get("body", b"")
        size += len(part)
        if size > limit:
            raise refuse_size(limit)
        parts.append(part)
        if not current.get("more_body"):
            return b"".join(parts)
        current = dict(await receive())


def _measure(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise refuse_size(limit)
    return body


def refuse_size(limit: int) -> TooLargeError:
    """What is raised for a body that is too large."""
    return TooLargeError(f"the body of the request has more than {limit} bytes, the most that are taken")


def refuse_slowness(seconds: float) -> SlowRequestError:
    """What is raised for a body that does not come."""
    return SlowRequestError(f"the body of the request did not arrive within {seconds:g} seconds")


def check_type(scope: Scope) -> None:
    """Refuses what does not call itself JSON in UTF-8, without compression. Raises MediaTypeError."""
    if (coding := find_header(scope, b"content-encoding")) not in (None, "", "identity"):
        raise MediaTypeError(f"a body in the encoding {coding[:40]!r} is not taken: send it as it is")
    given = find_header(scope, b"content-type")
    if given is None or given == "application/json":
        return
    kind, *parameters = [part.strip().lower() for part in given.split(";")]
    charsets = [part.partition("=")[2].strip('"') for part in parameters if part.startswith("charset=")]
    if kind != "application/json" or any(charset not in ("utf-8", "utf8") for charset in charsets):
        raise MediaTypeError(f"the body must be application/json in UTF-8, not {given[:80]!r}")


async def parse_json(body: bytes) -> object:
    """The value that a body holds. Raises MalformedError: no JSON, no UTF-8, a key twice, nested too deep, NaN."""
    if len(body) > LONG_BODY:
        return await asyncio.to_thread(load_json, body)
    return load_json(body)


def load_json(body: bytes) -> object:
    """The same, at once."""
    if not body.strip():
        raise MalformedError("the body of the request is empty; it must be JSON")
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise explain_json(body, error) from None
    keys, rounded = look_through(value)
    # Each key is followed by a mark; where there are as many marks as keys, no key stood twice.
    return load_exactly(body) if rounded or body.count(KEY_MARK) != keys else value


def explain_json(body: bytes, error: orjson.JSONDecodeError) -> MalformedError:
    """What is wrong with a body that is no JSON. Half a surrogate pair is told with its place: the rest is JSON."""
    value: object = None
    if HALF_MARK in body.lower():
        with suppress(RecursionError, ValueError):
            value = json.loads(body)
    for path, text in list_texts(value):
        half = _HALF.search(text)
        if half:
            place = show_path(path)
            item = next((part for part in path[: 2 if len(path) > 2 else 1] if isinstance(part, int)), None)
            message = f"the body of the request holds half a surrogate pair: {place}, at {half.start()}"
            return MalformedError(message, field=place, item=item)
    return MalformedError(f"the body of the request is not JSON: {error.msg}: character {error.pos}")


def list_texts(value: object) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts of a value, in its order, each with the keys and indexes that lead to it; a key as a text beside it."""
    rest: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while rest:
        path, inner = rest.pop()
        if isinstance(inner, str):
            yield path, inner
        elif isinstance(inner, dict):
            yield from ((path, key) for key in inner)
            rest.extend(((*path, key), inner[key]) for key in reversed(inner))
        elif isinstance(inner, list):
            rest.extend(((*path, number), inner[number]) for number in reversed(range(len(inner))))


def show_path(path: Sequence[str | int]) -> str:
    """Where in a body something stands: `memories[1].content`, `body[1].content` where the body is a list."""
    first = () if path and isinstance(path[0], str) else ("body",)
    parts = [f"[{part}]" if isinstance(part, int) else f".{part[:LONGEST_KEY]}" for part in (*first, *path)]
    return "".join(parts).removeprefix(".")


def look_through(value: object) -> tuple[int, bool]:
    """How many keys the objects in a value have, and whether a number may have been a whole one that was too large to
    be kept as it is."""
    count, rounded, rest = 0, False, [value]
    while rest:
        inner = rest.pop()
        if isinstance(inner, dict):
            count += len(inner)
            rest.extend(inner.values())
        elif isinstance(inner, list):
            rest.extend(inner)
        elif isinstance(inner, float) and abs(inner) >= LARGEST_WHOLE:
            rounded = True
    return count, rounded


def load_exactly(body: bytes) -> object:
    """The value with whole numbers of any size. Raises MalformedError where an object has a key twice."""
    try:
        value: object = json.loads(body, object_pairs_hook=_pair_once)
    except (RecursionError, ValueError):
        raise MalformedError("the body of the request is nested too deep, or has too long a number") from None
    return value


def _pair_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        double = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise MalformedError(f"the body of the request has the key {double[:80]!r} twice")
    return found
