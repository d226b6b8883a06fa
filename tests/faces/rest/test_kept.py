"""Answers that are kept are those that would be made anew: whatever is written, by whomever, shows at once, and uses
count as if each call had read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.engine import Remem
from remem.engine.kept import KeptAnswers
from remem.storage.watch import Probe
from tests.faces.rest.site import Site

USE = ("access_count", "accessed_at", "temperature")


@pytest.fixture
def full(site: Site) -> Site:
    rng = random.Random(7)
    words = ["pier", "mole", "quay", "dock", "rope"]
    for number in range(12):
        site.store(f"m{number}", f"# Name {number}\n\n{' '.join(rng.choices(words, k=5))}", tags=[rng.choice(words)])
    for _ in range(20):
        a, b = rng.sample(range(12), 2)
        site.ask("POST", "/connections", json={"source_id": f"m{a}", "target_id": f"m{b}", "strength": 0.5})
    return site


def ask_all(site: Site, names: range = range(0, 12, 3)) -> list[Any]:
    """Answers of every kind that is kept, without the figures of use."""
    found = [site.send("GET", f"/memories/m{number}?include_connections=true") for number in names]
    found += [site.send("GET", f"/memories/m{number}/related?depth=2") for number in names]
    for query in ("pier", "mole dock", "name"):
        found.append(site.send("POST", "/memories/search", json={"query": query, "mode": "keyword", "limit": 5}))
    return [drop_use(answer.json()) for answer in found]


def drop_use(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: drop_use(inner) for name, inner in value.items() if name not in (*USE, "request_id")}
    return [drop_use(inner) for inner in value] if isinstance(value, list) else value


def ask_afresh(site: Site) -> list[Any]:
    """The same when nothing is kept."""
    site.portal.call(site.remem.kept.close)
    return ask_all(site)


def test_what_is_kept_is_what_would_be_made_anew_after_any_write(full: Site) -> None:
    writes: list[tuple[str, str, Any]] = [
        ("PATCH", "/memories/m1", {"importance": 0.9}),
        ("PATCH", "/memories/m2", {"content": "# Name 2\n\na new pier, see [[Name 3]]"}),
        ("PATCH", "/memories/m3", {"metadata": {"x": 1}, "source": "elsewhere"}),
        ("PATCH", "/memories/m4", {"tags": ["added"]}),
        ("POST", "/memories", {"id": "late", "content": "one more pier, see [[Name 5]]"}),
        ("DELETE", "/memories/m6", None),
        ("POST", "/memories/m6/unarchive", None),
        ("DELETE", "/memories/m7?hard=true", None),
        ("POST", "/memories/m8/pin", None),
        ("POST", "/memories/m8/unpin", None),
        ("PATCH", "/memories/m9", {"ttl": 3600}),
        ("POST", "/memories/m9/promote", None),
        ("POST", "/connections", {"source_id": "m10", "target_id": "m11", "relationship_type": "supports"}),
        ("PATCH", "/connections/m10/m11?relationship_type=supports", {"strength": 0.25}),
        ("DELETE", "/connections/m10/m11?relationship_type=supports", None),
        ("POST", "/memories/batch", ["a pier in a batch", "a quay in a batch"]),
    ]
    for method, path, body in writes:
        before = ask_all(full)
        answer = full.send(method, path, json=body) if body is not None else full.send(method, path)
        assert answer.is_success, answer.text
        kept = ask_all(full)
        assert kept == ask_all(full)
        assert kept == ask_afresh(full), (method, path)
        assert kept != before or "pin" in path or "batch" in path or "promote" in path or method == "PATCH"


def test_writes_of_another_process_show_at_once(full: Site, tmp_path: Path) -> None:
    ask_all(full)
    ask_all(full)
    with Remem.open_sync(tmp_path / "memory.db") as other:
        other.update("m0", content="# Name 0\n\nwritten elsewhere")
        assert full.get("/memories/m0")["content"].endswith("written elsewhere")
        other.connect("m0", "m5", "supports")
        found = full.get("/memories/m0/related", depth=2)["related"]
        assert ("m5", "supports") in {(item["memory"]["id"], item["connection"]["relationship_type"]) for item in found}
        other.forget("m0")
        full.refuse("GET", "/memories/m0", 404, "not_found")


def test_each_answer_counts_as_a_use_kept_or_not(full: Site, tmp_path: Path) -> None:
    for number in range(10):
        assert full.get("/memories/m1")["access_count"] == number
    first = full.get("/memories/m2")
    for _ in range(10):
        full.get("/memories/m3/related")
    listed = {item["memory"]["id"] for item in full.get("/memories/m3/related")["related"]}
    assert listed
    for id in listed - {"m1"}:
        memory = full.get(f"/memories/{id}")
        assert memory["temperature"] > first["temperature"]
    full.run(full.remem.usage.flush)
    assert full.get("/memories/m1")["access_count"] == 10
    with Remem.open_sync(tmp_path / "memory.db") as other:
        assert other.get("m1", touch=False).access_count >= 10


def test_uses_count_once_each_however_they_are_written_behind(full: Site) -> None:
    for number in range(40):
        assert full.get("/memories/m1")["access_count"] == number
        if number % 7 == 0:
            full.run(full.remem.usage.flush)
        if number % 11 == 0:
            full.remem.usage.forget_followed()
    assert full.get("/memories", limit=200)["memories"][-2]["access_count"] == 40


def test_pins_show_at_once_in_what_is_kept(full: Site) -> None:
    full.get("/memories/m1")
    full.get("/memories/m1")
    full.ask("POST", "/memories/m1/pin")
    assert full.get("/memories/m1")["pinned"] is True
    full.ask("POST", "/memories/m1/unpin")
    assert full.get("/memories/m1")["pinned"] is False


def test_concurrent_calls_count_each_use(full: Site) -> None:
    async def many() -> list[int]:
        import asyncio

        answers = await asyncio.gather(*(full.client.get("/api/v1/memories/m1") for _ in range(50)))
        return sorted(answer.json()["access_count"] for answer in answers)

    full.portal.call(many)
    assert full.get("/memories/m1")["access_count"] == 50


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[KeptAnswers]:
    with Remem.open_sync(tmp_path / "m.db"):
        kept = KeptAnswers(str(tmp_path / "m.db"), lambda: 0)
        yield kept
        kept.close()


def test_an_answer_that_saw_two_states_is_not_kept(answers: KeptAnswers) -> None:
    assert answers.find("x") is None
    probe = Probe()
    answers.keep("x", probe, b"unseen", 6)
    assert answers.find("x") is None
    mark = answers._mark
    assert mark is not None
    probe.marks = {mark, mark._replace(log=99)}
    answers.keep("x", probe, b"two", 3)
    assert answers.find("x") is None
    probe.marks = {mark}
    answers.keep("x", probe, b"one", 3)
    found = answers.find("x")
    assert found is not None and found.value == b"one"
    for number in range(20):
        answers.keep(number, probe, b"large", 10_000_000)
    assert answers.find("x") is None and answers.find(19) is not None
