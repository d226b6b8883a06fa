"""The store and the service by REST: figures, health, the description, background work, copies."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remem.storage import sqlite
from tests.faces.rest.site import BASE, DOCUMENT, Site

HASHING: dict[str, Any] = {"embedding.provider": "hashing"}


def test_health_is_answered_without_the_store_and_readiness_is_not(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db") as site:
        assert site.get("/health")["status"] == "ok"
        assert site.get("/ready")["status"] == "ready"
        os.unlink(tmp_path / "memory.db")
        problem = site.refuse("GET", "/ready", 503, "store")
        assert "deleted" in problem["detail"]
        assert site.get("/health")["status"] == "ok"


def test_a_store_that_cannot_be_used_asks_to_come_again(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db") as site:
        os.unlink(tmp_path / "memory.db")
        answer = site.send("POST", "/memories", json={"content": "x"})
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) >= 1


def test_figures_tell_of_requests_by_template_and_of_the_store(site: Site) -> None:
    site.store("secret-name", "one")
    site.get("/memories/secret-name")
    site.send("GET", "/memories/guessed")
    site.send("GET", "/no/such/address")
    text = site.send("GET", "/metrics").text
    assert 'remem_requests_total{method="GET",route="/memories/{id}",status="200"} 1.0' in text
    assert 'remem_requests_total{method="GET",route="/memories/{id}",status="404"} 1.0' in text
    assert 'route="other",status="404"' in text
    assert "remem_nodes 1.0" in text and "remem_queue_depth" in text and "remem_request_seconds_bucket" in text
    assert "secret-name" not in text and "guessed" not in text


def test_figures_of_the_store_are_those_of_the_library(site: Site) -> None:
    site.store("a", "one")
    told = site.get("/stats")
    assert told["nodes"] == 1 and told["snapshots"] == 1


def test_the_description_has_every_operation_and_only_statuses_that_may_come(site: Site) -> None:
    document = site.get("/openapi.json")
    assert document == DOCUMENT
    assert document["openapi"].startswith("3.1")
    names = [told["operationId"] for methods in document["paths"].values() for told in methods.values()]
    assert len(names) == len(set(names))
    for path in ("/memories", "/memories/{id}/related", "/connections/{source}/{target}", "/tasks/{id}/events"):
        assert path in document["paths"]
    for methods in document["paths"].values():
        for told in methods.values():
            assert {"400", "401", "422"} <= told["responses"].keys() and told["description"]


def test_the_page_needs_nothing_from_elsewhere(site: Site) -> None:
    answer = site.send("GET", "/docs")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.search(r"(src|href)=[\"'](https?:)?//", answer.text) and "<script" not in answer.text
    assert "/memories/{id}/related" in answer.text
    assert "`" not in answer.text and "(<code>existing</code>)" in answer.text


def test_the_page_is_also_found_at_the_root(site: Site) -> None:
    async def ask() -> tuple[int, str]:
        answer = await site.client.get("/docs")
        return answer.status_code, answer.headers["location"]

    assert site.portal.call(ask) == (307, BASE + "/docs")


def test_background_work_is_paused_until_it_is_let_go_on_beyond_a_restart(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db", **HASHING) as site:
        names = [task["name"] for task in site.get("/tasks")["tasks"]]
        assert names == ["embed", "discover", "expire", "sweep", "backup"]
        assert site.ask("POST", "/tasks/embed/pause")["paused"] is True
        site.refuse("POST", "/tasks/embed/run", 409, "conflict")
        site.store("a", "one text")
        state = site.run(site.remem.settle)
        assert state.embed == 1 and "paused" in state.problem
    with Site(tmp_path / "memory.db", **HASHING) as site:
        told = {task["name"]: task for task in site.get("/tasks")["tasks"]}
        assert told["embed"]["paused"] is True and told["embed"]["owed"] == 1
        assert site.ask("POST", "/tasks/embed/resume")["paused"] is False
        assert site.run(site.remem.settle).embed == 0
        assert site.ask("POST", "/tasks/embed/run")["outcome"]


@pytest.mark.parametrize("name", ["expire", "sweep", "backup", "embed", "discover"])
def test_each_kind_of_background_work_runs_when_asked(tmp_path: Path, name: str) -> None:
    with Site(tmp_path / "memory.db", **HASHING) as site:
        site.store("a", "one")
        told = site.ask("POST", f"/tasks/{name}/run")
        assert told["ran_at"] is not None and told["outcome"]
        if name == "backup":
            with Site(tmp_path / "memory.db.backup") as copy:
                assert copy.get("/memories/a")["content"] == "one"


def test_a_copy_is_whole_and_nothing_of_it_stays_behind(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db") as site:
        for number in range(50):
            site.store(f"m{number}", f"fact {number}")
        answer = site.send("POST", "/backup")
        assert answer.headers["content-type"] == "application/vnd.sqlite3"
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert not [name for name in os.listdir(tmp_path) if "backup" in name or "partial" in name]
    (tmp_path / "copy.db").write_bytes(answer.content)
    with closing(sqlite.choose().connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Site(tmp_path / "copy.db") as copy:
        assert copy.get("/memories")["total"] == 50
        assert copy.run(copy.remem.doctor).healthy


@pytest.fixture
def many(site: Site) -> Iterator[Site]:
    for start in range(0, 1000, 1000):
        items = [{"id": f"m{number}", "content": f"fact {number} " * 20} for number in range(start, start + 1000)]
        site.ask("POST", "/memories/batch", 201, json=items)
    yield site


def test_writes_go_on_while_a_copy_is_made_and_it_is_of_one_instant(many: Site, tmp_path: Path) -> None:
    async def both() -> tuple[bytes, list[int]]:
        import asyncio

        async def write(number: int) -> int:
            body = {"id": f"new{number}", "content": f"new fact {number}"}
            return (await many.client.post(BASE + "/memories", json=body)).status_code

        copy = asyncio.create_task(many.client.post(BASE + "/backup"))
        statuses = [await write(number) for number in range(30)]
        return (await copy).content, statuses

    content, statuses = many.portal.call(both)
    assert statuses == [201] * 30
    (tmp_path / "copy.db").write_bytes(content)
    with Site(tmp_path / "copy.db") as copy:
        new = [id for id in (f"new{number}" for number in range(30)) if copy.send("GET", f"/memories/{id}").is_success]
        assert new == [f"new{number}" for number in range(len(new))]
        assert copy.run(copy.remem.doctor).healthy


def test_answers_hold_no_cache_and_no_type_is_guessed(site: Site) -> None:
    headers = site.send("GET", "/stats").headers
    assert headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff"


def test_head_is_get_without_a_body(site: Site) -> None:
    answer = site.send("HEAD", "/health")
    assert answer.status_code == 200 and answer.content == b""
    assert int(answer.headers["content-length"]) == len(json.dumps(site.get("/health"), separators=(",", ":")))
