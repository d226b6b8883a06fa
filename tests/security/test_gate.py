"""Pages and names that try to get in: rebound names, pages of other sites, guesses of keys, on every face."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remem.config import load_settings
from remem.faces.rest.gate import strip_port
from remem.faces.rest.options import ServerOptions, read_options
from remem.faces.serve.doors import check_keys
from tests.faces.rest.site import BASE, HOST, Site, make_scope
from tests.faces.server_process import ServerProcess

KEY = "a-key-that-is-long-enough"
GREETING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service without a key on a store that stays empty."""
    with Site(tmp_path_factory.mktemp("free") / "memory.db") as site:
        yield site
        assert site.get("/stats")["nodes"] == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server without a key, as `remem serve` starts it."""
    with ServerProcess(tmp_path_factory.mktemp("server") / "memory.db") as server:
        yield server


@pytest.mark.parametrize(
    "host",
    [
        *("localhost.", "127.0.0.1.", "localhost.evil.example", "[::1].evil.example", "::1", "0.0.0.0", "[::]"),
        *("127.1", "0x7f000001", "2130706433", "localhost:4545:80", "localhost/", "localhost ", "[::ffff:127.0.0.1]"),
        *("localhost@evil.example", "evil.example#localhost", "xn--localhost", "127.0.0.1,localhost"),
    ],
)
def test_names_that_only_look_like_this_machine_are_refused(free: Site, host: str) -> None:
    free.refuse("GET", "/stats", 403, "forbidden", headers={"Host": host})
    free.refuse("POST", "/memories", 403, "forbidden", headers={"Host": host}, json={"content": "x"})


def test_no_other_header_stands_in_for_the_host(free: Site) -> None:
    for name in ("X-Forwarded-Host", "Forwarded", "X-Host", "X-Original-Host", "X-Forwarded-Server"):
        value = "host=localhost" if name == "Forwarded" else "localhost"
        free.refuse("GET", "/stats", 403, "forbidden", headers={"Host": "evil.example", name: value})
        assert free.send("GET", "/stats", headers={name: "evil.example"}).status_code == 200


def test_a_request_without_a_host_is_refused(free: Site) -> None:
    sent: list[Any] = []

    async def ask() -> None:
        scope = make_scope()
        scope["headers"] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await free.app(scope, receive, send)

    free.portal.call(ask)
    assert sent[0]["status"] == 403


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Host", "localhost", "evil.example"),
        ("Host", "evil.example", "localhost"),
        ("Host", "localhost", "localhost"),
        ("Origin", "http://localhost", "http://evil.example"),
        ("Authorization", "Bearer x", f"Bearer {KEY}"),
        ("X-API-Key", "x", KEY),
        ("Content-Type", "text/plain", "application/json"),
    ],
)
def test_a_header_that_decides_stands_once(tmp_path: Path, name: str, first: str, second: str) -> None:
    twice = [(name, first), (name, second)]
    with Site(tmp_path / "memory.db", ServerOptions(api_keys=(KEY,))) as site:
        others = [] if name in ("Authorization", "X-API-Key") else [("X-API-Key", KEY)]
        request = site.client.build_request("POST", f"{HOST}{BASE}/memories", content=b'{"content": "x"}')
        request.headers = httpx2.Headers([*twice, *others, *([] if name == "Host" else [("Host", "localhost")])])

        async def ask() -> httpx2.Response:
            return await site.client.send(request)

        answer = site.portal.call(ask)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
        assert name.lower() in answer.json()["detail"] and KEY not in answer.text


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost:80", "localhost"),
        ("[::1]:80", "[::1]"),
        ("[::1]", "[::1]"),
        ("::1", "::1"),
        ("a:b", "a:b"),
        ("a:1:2", "a:1:2"),
        ("a:", "a:"),
    ],
)
def test_a_port_is_taken_off_a_host_only_where_it_is_one(host: str, name: str) -> None:
    assert strip_port(host) == name


@pytest.mark.parametrize("path", ["/", "/mcp", "/static/x.js", "/docs", "/api/v1/health", "/api/v1/stats"])
def test_every_face_refuses_rebound_names_and_foreign_pages(server: ServerProcess, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        body = GREETING if method == "POST" else None
        assert server.ask(method, path, body, Host="evil.example").status == 403
        assert server.ask(method, path, body, Origin="http://evil.example").status == 403
        assert server.ask(method, path, body, Origin="null").status == 403
    told = server.ask("GET", path, Origin="http://evil.example").headers
    assert not any(name.startswith("access-control") for name in told)


def test_a_preflight_of_a_foreign_page_promises_nothing(server: ServerProcess) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}
    answer = server.ask("OPTIONS", "/api/v1/memories", Origin="https://evil.example", **asked)
    assert answer.status == 403 and "access-control-allow-origin" not in answer.headers
    private = {**asked, "Access-Control-Request-Private-Network": "true"}
    answer = server.ask("OPTIONS", "/api/v1/memories", Origin="https://evil.example", **private)
    assert "access-control-allow-private-network" not in answer.headers


@pytest.mark.parametrize("kind", ["image", "script", "iframe", "empty", "style", "object"])
def test_a_foreign_page_cannot_have_a_browser_load_anything(free: Site, kind: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": kind}
    free.refuse("GET", "/stats", 403, "forbidden", headers=headers)


def test_a_person_may_follow_a_link_to_the_page(server: ServerProcess) -> None:
    fetched = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert server.ask("GET", "/", **fetched).status == 200
    assert server.ask("GET", "/", **{"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}).status == 200


def test_answers_are_for_pages_of_the_service_itself(server: ServerProcess) -> None:
    for path in ("/", "/api/v1/stats", "/nothing"):
        told = server.ask("GET", path).headers
        assert told["cross-origin-resource-policy"] == "same-origin"
        assert told["x-content-type-options"] == "nosniff"
    policy = server.ask("GET", "/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_a_right_key_beside_a_wrong_one_opens_nothing(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(api_keys=(KEY,))) as site:
        both = {"Authorization": "Bearer wrong", "X-API-Key": KEY}
        site.refuse("GET", "/stats", 401, "unauthorized", headers=both)
        assert site.send("GET", "/stats", headers={"Authorization": f"Bearer {KEY}", "X-API-Key": "x"}).is_success


def test_a_key_that_was_taken_out_opens_nothing_any_more(tmp_path: Path) -> None:
    new = "the-key-that-came-later"
    for keys, opens in (((KEY,), {KEY}), ((KEY, new), {KEY, new}), ((new,), {new})):
        with Site(tmp_path / "memory.db", ServerOptions(api_keys=keys)) as site:
            for key in (KEY, new):
                status = 200 if key in opens else 401
                site.ask("GET", "/stats", status, headers={"X-API-Key": key})


def test_strangers_are_not_told_where_a_store_lies(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with Site(store, ServerOptions(api_keys=(KEY,))) as site:
        store.rename(tmp_path / "gone.db")
        problem = site.refuse("GET", "/ready", 503, "store")
        assert str(tmp_path) not in str(problem)
        told = site.refuse("POST", "/memories", 503, "store", headers={"X-API-Key": KEY}, json={"content": "x"})
        assert str(store) in told["detail"]
        (tmp_path / "gone.db").rename(store)


def test_guesses_of_a_key_count_for_the_rate(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(api_keys=(KEY,), rate_limit=3)) as site:
        for number in range(3):
            site.refuse("GET", "/stats", 401, "unauthorized", headers={"X-API-Key": f"guess-{number}"})
        site.refuse("GET", "/stats", 429, "rate_limited", headers={"X-API-Key": "guess-3"})


@pytest.mark.parametrize(
    "path",
    [
        *("/../api/v1/stats", "/static/../api/v1/stats", "//api/v1/stats", "/api/v1//stats", "/api/v1/health/../stats"),
        *("/static/%2e%2e/api/v1/stats", "/api/v1/%73tats", "/api/v1/stats/", "/api/v1/health%2f..%2fstats", "/mcp/x"),
    ],
)
def test_no_spelling_of_an_address_goes_around_the_key(tmp_path: Path, path: str) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(api_keys=(KEY,))) as site:

        async def ask() -> int:
            return (await site.client.get("http://localhost:4545" + path)).status_code

        assert site.portal.call(ask) in (401, 404)


def test_the_page_serves_its_own_files_alone(server: ServerProcess) -> None:
    for path in ("/static/../files.py", "/static/%2e%2e/files.py", "/static//etc/passwd", "/static/", "/..%2f..%2fx"):
        assert server.ask("GET", path).status == 404


def test_all_pages_without_a_key_draws_a_warning() -> None:
    free = load_settings(environ={}, overrides={"server.cors_origins": ("*",)}).server
    assert any("any web page" in warning for warning in check_keys(free, ["127.0.0.1"]))
    locked = load_settings(environ={}, overrides={"server.cors_origins": ("*",), "server.api_key": KEY}).server
    assert list(check_keys(locked, ["127.0.0.1"])) == []


def test_the_time_for_a_body_is_that_of_the_settings() -> None:
    settings = load_settings(environ={}, overrides={"limits.body_timeout": 7.5})
    assert read_options(settings).body_timeout == 7.5
