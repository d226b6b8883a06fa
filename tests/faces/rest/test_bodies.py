"""Bodies that are no bodies: empty, too large, no JSON, no UTF-8, of another type, cut off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.faces.rest.options import ServerOptions
from tests.faces.rest.site import BASE, HOST, Site, make_scope
from tests.guard import guard_hang

WITH_BODY = [
    ("POST", "/memories"),
    ("POST", "/memories/batch"),
    ("PATCH", "/memories/a"),
    ("PUT", "/memories/a"),
    ("POST", "/memories/search"),
    ("POST", "/recall"),
    ("POST", "/connections"),
    ("PATCH", "/connections/a/b"),
    ("POST", "/compile"),
]
WITHOUT_BODY = [("POST", "/memories/a/promote"), ("POST", "/memories/a/pin"), ("POST", "/tasks/sweep/run")]
DEEP = 100_000
NO_JSON: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "text": b"content=x",
    "half": b'{"content": "x"',
    "trailing": b'{"content": "x"} x',
    "two": b'{"content": "x"}{"content": "y"}',
    "comma": b'{"content": "x",}',
    "quotes": b"{'content': 'x'}",
    "comment": b'{"content": "x" /* y */}',
    "NaN": b'{"content": "x", "importance": NaN}',
    "Infinity": b'{"content": "x", "importance": -Infinity}',
    "too large a number": b'{"content": "x", "importance": 1e999}',
    "leading zero": b'{"content": "x", "importance": 01}',
    "control": b'{"content": "a\x01b"}',
    "Latin-1": '{"content": "schön"}'.encode("latin-1"),
    "UTF-16": '{"content": "x"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"content": "x"}',
    "overlong": b'{"content": "\xc0\xaf"}',
    "raw surrogate": b'{"content": "\xed\xa0\x80"}',
    "half a pair": b'{"content": "hi \\ud83d there"}',
    "halves swapped": b'{"content": "\\ude00\\ud83d"}',
    "bad escape": b'{"content": "\\x41"}',
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep and open": b"[" * DEEP,
    "a key twice": b'{"content": "x", "content": "y"}',
    "a key twice inside": b'{"content": "x", "metadata": {"k" : 1, "k" :2}}',
    "a key twice, escaped": b'{"content": "x", "c\\u006fntent": "y"}',
    "binary": bytes(range(256)),
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store that stays empty."""
    with Site(tmp_path_factory.mktemp("store") / "memory.db") as site:
        yield site
        assert site.get("/stats")["nodes"] == 0


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_json_is_malformed(empty: Site, name: str) -> None:
    with guard_hang(name):
        for method, path in WITH_BODY:
            problem = empty.refuse(method, path, 400, "malformed", content=NO_JSON[name])
            assert problem["detail"] and len(problem["detail"]) < 300
    assert empty.get("/stats")["snapshots"] == 0


@pytest.mark.parametrize(
    ("body", "place", "item"),
    [
        (b'[{"content": "a"}, {"content": "hi \\ud83d there"}]', "body[1].content, at 3", 1),
        (b'{"memories": [{"content": "a"}, {"content": "\\uDE00"}]}', "memories[1].content, at 0", 1),
        (b'["a", "\\uD83D\\ude00 \\ud83d"]', "body[1], at 2", 1),
        (b'[{"content": "a", "metadata": {"k": ["\\ud83d"]}}]', "body[0].metadata.k[0], at 0", 0),
        (b'[{"\\ud83d": 1}]', "body[0], at 0", 0),
    ],
)
def test_half_a_surrogate_pair_is_told_with_its_place(empty: Site, body: bytes, place: str, item: int) -> None:
    """Case 64"""
    problem = empty.refuse("POST", "/memories/batch", 400, "malformed", content=body)
    assert problem["detail"].endswith(f"half a surrogate pair: {place}") and problem["item"] == item
    assert problem["field"] == place.partition(",")[0]


@pytest.mark.parametrize("body", [b"1", b"null", b"true", b'"text"', b"[]", b'[{"content": "x"}]', b"1.5"])
def test_what_is_no_object_is_refused_by_name(empty: Site, body: bytes) -> None:
    for method, path in WITH_BODY:
        if path != "/memories/batch":
            assert empty.refuse(method, path, 422, "invalid_input", content=body)["field"] == "body"
    assert empty.get("/stats")["nodes"] == 0


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
def test_unknown_fields_are_refused_by_name(empty: Site, method: str, path: str) -> None:
    problem = empty.refuse(method, path, 422, "invalid_input", json={"contnt": "x"})
    assert problem["field"] == "contnt" and problem["errors"][0]["field"] == "contnt"
    assert empty.get("/stats")["nodes"] == 0


@pytest.mark.parametrize(("method", "path"), WITHOUT_BODY)
def test_a_body_where_none_is_taken_is_refused_unless_it_is_empty(site: Site, method: str, path: str) -> None:
    site.store("a", "x")
    for content in (b"", b" ", b"{}"):
        site.ask(method, path, content=content)
    site.refuse(method, path, 422, "invalid_input", json={"hard": True})
    site.refuse(method, path, 400, "malformed", content=b"{")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": "application/xml"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json", "Content-Encoding": "br"},
    ],
)
def test_other_types_are_refused(empty: Site, headers: dict[str, str]) -> None:
    empty.refuse("POST", "/memories", 415, "unsupported_media_type", headers=headers, content=b'{"content": "x"}')


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON", 'application/json; charset="UTF-8"', None])
def test_json_is_taken_however_it_is_called(site: Site, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    assert site.ask("POST", "/memories", 201, headers=headers, content=b'{"content": "x"}')["content"] == "x"


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path / "memory.db", ServerOptions(max_body_bytes=1000, body_timeout=0.2)) as site:
        yield site


def test_a_body_over_the_limit_is_refused_and_one_at_it_is_taken(narrow: Site) -> None:
    empty = len(json.dumps({"content": ""}))
    fits = json.dumps({"content": "x" * (1000 - empty)}).encode()
    assert len(fits) == 1000
    narrow.ask("POST", "/memories", 201, content=fits)
    for method, path in WITH_BODY:
        problem = narrow.refuse(method, path, 413, "too_large", content=fits + b" ")
        assert "1000" in problem["detail"]


def test_a_body_without_a_length_is_refused_at_the_byte_that_is_too_much(narrow: Site) -> None:
    sent: list[int] = []

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(1000):
            sent.append(100)
            yield b" " * 100

    async def ask() -> int:
        return (await narrow.client.post(BASE + "/memories", content=parts())).status_code

    assert narrow.portal.call(ask) == 413


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "", "9" * 40])
def test_an_odd_length_is_refused(narrow: Site, length: str) -> None:
    messages = exchange(narrow, {"content-length": length, "content-type": "application/json"}, [b"{}"])
    assert messages[0]["status"] in (400, 413)


def exchange(site: Site, headers: dict[str, str], parts: list[bytes], *, ends: bool = True, stays: bool = False) -> Any:
    """What is sent to a client that sends these parts of a body, and then no more, or is gone, or waits."""
    sent: list[Any] = []
    queue = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if ends:
        queue[-1]["more_body"] = False

    async def receive() -> Any:
        if queue:
            return queue.pop(0)
        if stays:
            await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    site.portal.call(site.app, make_scope("POST", "/memories", headers), receive, send)
    return sent


def test_a_client_that_goes_away_gets_nothing_and_changes_nothing(narrow: Site) -> None:
    for parts in ([b""], [b'{"content": "x'], [b'{"content": "x"}']):
        assert exchange(narrow, {"content-type": "application/json"}, parts, ends=False) == []
    assert narrow.get("/stats")["nodes"] == 0


def test_a_client_that_is_too_slow_is_told_so(narrow: Site) -> None:
    with guard_hang("a slow client"):
        sent = exchange(narrow, {}, [b'{"content": '], ends=False, stays=True)
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["code"] == "timeout"


def test_a_large_body_is_taken_whole(site: Site) -> None:
    items = [{"id": f"m{number}", "content": f"{number} " + "x" * 2000} for number in range(500)]
    assert site.ask("POST", "/memories/batch", 201, json=items)["total"] == 500
    assert site.client.base_url == HOST


def test_escaped_marks_in_texts_do_not_count_as_keys(site: Site) -> None:
    text = '{"a": 1, "a": 2} says "b": and \\"c\\":'
    made = site.ask("POST", "/memories", 201, json={"content": text, "metadata": {"k": '":":', "l": {'":': 1}}})
    assert made["content"] == text and made["metadata"] == {"k": '":":', "l": {'":': 1}}
