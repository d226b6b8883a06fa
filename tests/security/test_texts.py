"""Texts that are commands elsewhere: to a terminal, a browser, SQL, the full-text index. Here they are texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from remem import Remem
from remem.faces.rest.operations import Operation
from remem.faces.rest.routes import OPERATIONS
from tests.faces.command import Done, remem
from tests.faces.rest.site import Site

TITLE = "\x1b]0;owned\x07 \x1b[31mred \x9b2J end"
COMMANDS = ("\x1b", "\x07", "\x9b")
STYLE = re.compile("\x1b\\[[0-9;]*m")
MARKUP = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>]]>--><svg onload=alert(1)>"

HOSTILE = (
    "'; DROP TABLE nodes; --",
    '" OR 1=1 --',
    "x' UNION SELECT value FROM meta --",
    "%' ESCAPE '",
    'NEAR("a" "b", 5) AND {content}: ^x*',
    '") OR passages_text MATCH ("x',
    "a* -b +c :d ^e (((((",
    "\\'; ATTACH DATABASE '/x' AS y; --",
    "${jndi:x} {{7*7}} %s %n",
    "../../../../etc/passwd",
    "‮gnp.exe \ufeff",
    "x" * 5000,
)
OF_SQL = re.compile(r'near \\?"|no such (table|column)|unrecognized token|fts5: |syntax error|malformed MATCH')
STREAMS = ("/events", "/tasks/{id}/events", "/backup")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes of which title, labels, tags and links are commands to a terminal, and of which one is full of markup."""
    folder = tmp_path_factory.mktemp("hostile")
    notes = folder / "notes"
    notes.mkdir()
    (notes / f"a{TITLE}.md").write_text(
        f"# A {TITLE}\n\ntext {TITLE} [[missing {TITLE}]] [[b]]\n\n```\ncode {TITLE}\n```\n", encoding="utf-8"
    )
    (notes / "b.md").write_text(f"# B {TITLE}\n\n[[A {TITLE}]] and [[m]]\n\n- item\n", encoding="utf-8")
    (notes / "m.md").write_text(f"# M {MARKUP}\n\n[[b|{MARKUP}]] [[{MARKUP}]] {MARKUP}\n", encoding="utf-8")
    with Remem.open_sync(folder / "memory.db") as opened:
        opened.compile(notes)
        opened.store(f"A memory about {TITLE} and [[b]]", source=f"from {TITLE}", tags=["x"])
    return folder


@pytest.fixture(scope="module")
def ids(folder: Path) -> dict[str, str]:
    """The ids of the documents by the first letter of their file."""
    nodes = remem("--db", folder / "memory.db", "export").load()["nodes"]
    return {node["source"][0]: node["id"] for node in nodes if node["kind"] == "document"}


def ask(folder: Path, *line: str | Path, terminal: bool = True) -> Done:
    return remem("--db", folder / "memory.db", *line, terminal=terminal)


def list_lines(id: str) -> list[tuple[str, ...]]:
    reading: list[tuple[str, ...]] = [("tree",), ("show", id), ("search", "text"), ("search", "code", "--explain")]
    reading += [("recall", "text"), ("related", id), ("graph", id, "--json"), ("pending",), ("mentions",)]
    reading += [("delta", "0"), ("history", id), ("roots",), ("stats",), ("doctor",), ("snapshots",)]
    reading += [("path", id, "b"), ("tree", "--json"), ("show", id, "--json"), ("search", "text", "--json")]
    reading += [("export", "--format", form) for form in ("json", "jsonl", "graphml", "dot", "mermaid")]
    failing = [("show",), ("related",), ("drop",), ("compile",), ("import",), ("backup",), ("restore",), ("forget",)]
    return [*reading, *((*line, f"/none {TITLE}") for line in failing), (f"cmd{TITLE}",), ("tree", f"--x{TITLE}")]


@pytest.mark.parametrize("number", range(len(list_lines(""))))
def test_no_note_and_no_argument_commands_a_terminal(folder: Path, ids: dict[str, str], number: int) -> None:
    done = ask(folder, *list_lines(ids["a"])[number])
    shown = STYLE.sub("", done.out.replace("\x1b[31mred", "RED")) + done.err
    assert "RED" not in shown and not [mark for mark in COMMANDS if mark in shown]
    assert done.out or done.err


def test_json_on_a_terminal_says_the_same_as_in_a_pipe(folder: Path, ids: dict[str, str]) -> None:
    for line in (("graph", ids["a"], "--json"), ("export",)):
        shown, piped = ask(folder, *line), ask(folder, *line, terminal=False)
        assert shown.out != piped.out and json.loads(shown.out) == json.loads(piped.out)


@pytest.mark.parametrize("ending", ["html", "svg"])
def test_a_picture_runs_no_script_of_a_note(folder: Path, ids: dict[str, str], ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"picture.{ending}"
    assert ask(folder, "graph", ids["m"], "--depth", "2", "--out", file).status == 0
    text = file.read_text(encoding="utf-8")
    assert "alert(1)" in text  # it is shown, as text
    assert not re.search(r"<script>alert|<img|<svg onload|</title></script>", text)
    assert text.count("<script") == (1 if ending == "html" else 0)
    assert ending == "svg" or "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in text
    assert not [mark for mark in COMMANDS if mark in text]


def test_graph_formats_keep_labels_within_their_quotes(folder: Path) -> None:
    ElementTree.fromstring(ask(folder, "export", "--format", "graphml", terminal=False).out)
    mermaid = ask(folder, "export", "--format", "mermaid", terminal=False).out
    assert "<script" not in mermaid and "<img" not in mermaid


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service with two memories that are connected."""
    with Site(tmp_path_factory.mktemp("site") / "memory.db") as site:
        for id in ("one", "two"):
            site.store(id, f"memory {id}", tags=["kept"])
        site.ask("POST", "/connections", json={"source_id": "one", "target_id": "two"})
        yield site


def list_reads() -> list[Operation]:
    return [operation for operation in OPERATIONS if operation.method == "GET" and operation.path not in STREAMS]


def fill(path: str, value: str) -> str:
    return re.sub(r"\{\w+\}", lambda _: quote(value, safe=""), path)


def check_whole(site: Site) -> None:
    """Both memories and their edge are there, and every invariant holds."""
    assert site.get("/memories")["total"] == 2
    assert site.get("/connections")["total"] == 1
    assert not [found for found in site.run(site.remem.doctor).findings if found.fault]


@pytest.mark.parametrize("operation", list_reads(), ids=lambda operation: operation.path)
def test_hostile_parameters_are_texts_or_refused(site: Site, operation: Operation) -> None:
    for text in HOSTILE:
        queries: list[dict[str, Any]] = [{field.name: text} for field in operation.query.fields]
        for query in queries or [{}]:
            answer = site.send("GET", fill(operation.path, text if "{" in operation.path else ""), params=query)
            assert answer.status_code in (200, 403, 404, 409, 422), (text, query, answer.text)
            assert not OF_SQL.search(answer.text)
    check_whole(site)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_bodies_are_texts_or_refused(site: Site, text: str) -> None:
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/memories/search", {"query": text}),
        ("POST", "/memories/search", {"query": text, "mode": "keyword", "tags": [text], "sources": [text]}),
        ("POST", "/memories/search", {"query": "memory", "memory_type": text}),
        ("POST", "/recall", {"query": text}),
        ("POST", "/connections", {"source_id": text, "target_id": "two"}),
        ("POST", "/connections", {"source_id": "one", "target_id": text}),
        ("POST", "/compile", {"path": text}),
        ("POST", "/compile", {"path": text, "root": text}),
        ("PATCH", "/memories/" + quote(text, safe=""), {"content": "x"}),
        ("DELETE", "/memories/" + quote(text, safe=""), {}),
        ("DELETE", "/connections/one/" + quote(text, safe=""), {}),
        ("POST", f"/tasks/{quote(text, safe='')}/run", {}),
        ("POST", "/purge", {"node": text}),
        ("POST", "/rollback", {"snapshot": 1, "scope": text}),
    ]
    for method, path, body in bodies:
        answer = site.send(method, path, **({"json": body} if body else {}))
        assert answer.status_code in (200, 400, 403, 404, 409, 422), (method, path, answer.text)
        assert not OF_SQL.search(answer.text)
    check_whole(site)


def test_hostile_fields_of_a_memory_come_back_as_they_were(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db") as site:
        for text in HOSTILE:
            fields = {"content": text + " end", "source": text[:200], "metadata": {text[:100]: text}}
            made = site.ask("POST", "/memories", 201, json=fields)
            found = site.get(f"/memories/{made['id']}")
            assert (found["content"], found["metadata"]) == (fields["content"], fields["metadata"])
        assert not [found for found in site.run(site.remem.doctor).findings if found.fault]
