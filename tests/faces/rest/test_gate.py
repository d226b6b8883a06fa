"""Who may come in: keys, hosts, pages of other origins, how many requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER

from remem.config import load_settings
from remem.errors import RateLimitError
from remem.faces.rest.options import ServerOptions, read_options
from remem.faces.rest.rates import RateLimiter
from tests.faces.rest.site import BASE, Site

KEY, OTHER = "first-key-of-all", "zweiter Schlüssel"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store that stays empty."""
    with Site(tmp_path_factory.mktemp("store") / "memory.db") as site:
        yield site
        assert site.get("/stats")["nodes"] == 0


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("locked") / "memory.db", ServerOptions(api_keys=(KEY, OTHER))) as site:
        yield site


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"Authorization": f"bearer  {KEY} "},
        {"X-API-Key": KEY},
        {"X-API-Key": OTHER.encode()},
        {"Authorization": b"Bearer " + OTHER.encode()},
        {"Authorization": "Basic abc", "X-API-Key": KEY},
    ],
)
def test_either_key_opens_by_either_header(locked: Site, headers: dict[str, Any]) -> None:
    assert locked.ask("GET", "/stats", headers=headers)["roots"] == 0


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": KEY},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}x"},
        {"Authorization": f"Bearer {KEY[:-1]}"},
        {"Authorization": f"Bearer {KEY.upper()}"},
        {"X-API-Key": ""},
        {"X-API-Key": f"Bearer {KEY}"},
        {"Api-Key": KEY},
        {"Cookie": f"key={KEY}"},
        {"Authorization": "Bearer " + "x" * 5000},
        {"Authorization": b"Bearer \xff\xfe"},
    ],
)
def test_anything_else_is_refused_in_the_same_way(locked: Site, headers: dict[str, Any]) -> None:
    for method, path in (("GET", "/stats"), ("GET", "/memories/x"), ("GET", "/nothing"), ("GET", "/metrics")):
        problem = locked.refuse(method, path, 401, "unauthorized", headers=headers)
        assert KEY not in str(problem)
    answer = locked.send("POST", "/memories", headers=headers, json={"content": "x"})
    assert answer.status_code == 401 and answer.headers["www-authenticate"].startswith("Bearer")
    assert locked.ask("GET", "/memories?sources=x", headers={"X-API-Key": KEY})["total"] == 0


def test_a_key_in_the_query_opens_nothing(locked: Site) -> None:
    locked.refuse("GET", f"/stats?api_key={KEY}", 401, "unauthorized")


def test_health_readiness_and_description_need_no_key(locked: Site) -> None:
    for path in ("/health", "/ready", "/openapi.json", "/docs"):
        assert locked.send("GET", path).status_code == 200
    for path in ("/health/x", "/docs/", "/metrics", "/backup"):
        locked.refuse("GET", path, 401, "unauthorized")


def test_a_key_is_ignored_where_none_is_set(empty: Site) -> None:
    assert empty.ask("GET", "/stats", headers={"Authorization": "Bearer anything"})["nodes"] == 0


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:4545", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:4545", "notes.example:4545"]
)
def test_own_names_are_let_in_with_or_without_port(tmp_path: Path, host: str) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(allowed_hosts=("notes.example",))) as site:
        assert site.ask("GET", "/stats", headers={"Host": host})["nodes"] == 0


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "evil.example:4545", "127.0.0.1.evil.example", "", "[::2]"),
        *("localhost:x", "127.0.0.2", "user@localhost"),
    ],
)
def test_other_names_are_refused(empty: Site, host: str) -> None:
    empty.refuse("GET", "/stats", 403, "forbidden", headers={"Host": host})
    empty.refuse("GET", "/health", 403, "forbidden", headers={"Host": host})


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:3000", "file://", "https://localhost"]
)
def test_pages_of_other_origins_are_refused(empty: Site, origin: str) -> None:
    empty.refuse("POST", "/memories", 403, "forbidden", headers={"Origin": origin}, json={"content": "x"})
    assert empty.get("/stats")["nodes"] == 0


def test_the_own_page_may_call(empty: Site) -> None:
    answer = empty.send("GET", "/stats", headers={"Origin": "http://localhost:4545"})
    assert answer.status_code == 200 and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("allowed", ["https://notes.example", "*"])
def test_pages_that_are_named_may_call_with_preflight(tmp_path: Path, allowed: str) -> None:
    options = ServerOptions(cors_origins=(allowed,), api_keys=(KEY,))
    with Site(tmp_path / "memory.db", options) as site:
        origin = {"Origin": "https://notes.example"}
        before = site.send("OPTIONS", "/memories", headers={**origin, "Access-Control-Request-Method": "POST"})
        assert before.status_code == 204 and "authorization" in before.headers["access-control-allow-headers"]
        answer = site.send("GET", "/stats", headers={**origin, "X-API-Key": KEY})
        assert answer.headers["access-control-allow-origin"] == "https://notes.example"
        assert "x-request-id" in answer.headers["access-control-expose-headers"]
        assert answer.headers["vary"] == "Origin"
        refused = site.send("GET", "/stats", headers=origin)
        assert refused.status_code == 401 and refused.headers["access-control-allow-origin"]


def test_a_page_that_is_named_may_speak_each_revision_of_mcp(tmp_path: Path) -> None:
    asked = {"Origin": "https://notes.example", "Access-Control-Request-Method": "POST"}
    with Site(tmp_path / "memory.db", ServerOptions(cors_origins=("https://notes.example",))) as site:
        told = site.send("OPTIONS", "/memories", headers=asked).headers["access-control-allow-headers"].split(", ")
    own = (MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER, MCP_SESSION_ID_HEADER, "last-event-id")
    assert {*own, "content-type", "authorization"} <= set(told)


def test_options_without_cors_is_no_method(empty: Site) -> None:
    answer = empty.send("OPTIONS", "/memories")
    assert answer.status_code == 405 and answer.headers["allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/memories", "GET, POST, HEAD"),
        ("POST", "/memories/x", "GET, PUT, PATCH, DELETE, HEAD"),
        ("PUT", "/stats", "GET, HEAD"),
        ("GET", "/recall", "POST"),
        ("TRACE", "/stats", "GET, HEAD"),
        ("BREW", "/stats", "GET, HEAD"),
    ],
)
def test_other_methods_are_refused_with_those_that_there_are(empty: Site, method: str, path: str, allow: str) -> None:
    answer = empty.send(method, path)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == answer.json()["allow"] == allow


@pytest.mark.parametrize(
    "path", ["/nothing", "/", "/memories/", "/memories/a/b/c", "//memories", "/memories//related", "/Stats"]
)
def test_unknown_addresses_are_problems_too(empty: Site, path: str) -> None:
    empty.refuse("GET", path, 404, "not_found")


def test_addresses_beside_the_service_are_problems_too(empty: Site) -> None:
    async def ask(path: str) -> tuple[int, str]:
        answer = await empty.client.get(path)
        return answer.status_code, answer.headers["content-type"]

    for path in ("/", "/api", "/api/v2/stats", "/api/v1", "/apiv1/stats", "/%2e%2e/etc/passwd"):
        assert empty.portal.call(ask, path) == (404, "application/problem+json")


def test_request_ids_are_kept_or_made(empty: Site) -> None:
    assert empty.send("GET", "/stats", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    made = {empty.send("GET", "/stats").headers["x-request-id"] for _ in range(3)}
    assert len(made) == 3
    for odd in ("", "a b", "x" * 200, "ä", "a;b"):
        sent = {"X-Request-ID": odd.encode()}
        assert empty.send("GET", "/stats", headers=sent).headers["x-request-id"] not in ("", odd)


def test_too_many_requests_are_told_when_to_come_again(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(rate_limit=3)) as site:
        answers = [site.send("GET", "/stats") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["retry-after"]) <= 20
    assert answers[3].json()["code"] == "rate_limited"


def test_the_rate_fills_again_and_counts_each_client_by_itself() -> None:
    now = 0.0
    limiter = RateLimiter(60, lambda: now)
    for _ in range(60):
        limiter.count("a")
    limiter.count("b")
    with pytest.raises(RateLimitError) as caught:
        limiter.count("a")
    assert caught.value.facts["retry_after"] == 1
    now = 1.0
    limiter.count("a")
    with pytest.raises(RateLimitError):
        limiter.count("a")


def test_no_key_and_no_content_reach_the_log(locked: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="remem")
    headers = {"X-API-Key": KEY}
    locked.ask("POST", "/memories", 201, headers=headers, json={"content": "the word is xyzzy", "id": "plugh"})
    locked.send("GET", "/memories/plugh", headers=headers)
    locked.send("GET", "/memories/plugh", headers={"X-API-Key": "wrong-one"})
    locked.send("POST", "/memories", headers=headers, json={"content": 1, "xyzzy": 2})
    assert "/memories/{id}" in caplog.text
    assert not [word for word in (KEY, "xyzzy", "plugh", "wrong-one") if word in caplog.text]


def test_what_goes_wrong_unforeseen_tells_no_content(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise ValueError("the word is xyzzy")

    monkeypatch.setattr(site.remem, "stats", fail)
    problem = site.refuse("GET", "/stats", 500, "internal")
    assert "xyzzy" not in str(problem) + caplog.text
    assert "ValueError" in caplog.text and problem["request_id"] in caplog.text


def test_options_follow_the_settings() -> None:
    made = read_options(
        load_settings(environ={}, overrides={"server.api_key": "k1" * 8, "server.second_api_key": "k2" * 8})
    )
    assert made.api_keys == ("k1" * 8, "k2" * 8) and made.check_hosts
    assert "k1" not in repr(made)
    beyond = read_options(load_settings(environ={}, overrides={"server.host": "0.0.0.0", "server.api_key": "k1" * 8}))
    assert not beyond.check_hosts
    named = {"server.host": "0.0.0.0", "server.api_key": "k1" * 8, "server.allowed_hosts": ("notes.example",)}
    assert read_options(load_settings(environ={}, overrides=named)).check_hosts
    assert BASE == "/api/v1"
