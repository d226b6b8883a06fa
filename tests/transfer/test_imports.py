"""What a store exports, another takes in; knowledge graphs of the MCP reference server become memories; bad lines are
told."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.datafiles import find_samples
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError
from remem.faces import wire
from remem.ingest.imports import read_import
from remem.records import Export
from tests.faces.command import remem as run_command

ALICE = {
    "type": "entity",
    "name": "Alice Smith",
    "entityType": "person",
    "observations": ["Speaks Spanish", "Sails\nat dawn"],
}
ACME = {"type": "entity", "name": "Acme [x|y]", "entityType": "big company", "observations": []}
WORKS = {"type": "relation", "from": "Alice Smith", "to": "Acme [x|y]", "relationType": "works_at"}
CAUSED = {"type": "relation", "from": "Acme [x|y]", "to": "Alice Smith", "relationType": "caused_by"}


def write_lines(path: Path, *items: object) -> Path:
    lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Export]:
    """A store with notes that were edited, memories of every kind, entities and relations; and its export."""
    folder = tmp_path_factory.mktemp("world")
    shutil.copytree(find_samples(), folder / "gangway")
    with Remem.open_sync(folder / "memory.db") as remem:
        remem.compile(folder / "gangway")
        note = next((folder / "gangway").rglob("seat-inventory.md"))
        note.write_text(note.read_text().replace("the", "THE", 1) + "\nA paragraph more.\n")
        remem.compile(folder / "gangway")
        fill(remem)
        return folder, remem.export()


def fill(remem: RememSync) -> None:
    fact = "# Noon\n\nThe ferry sails at noon. See [[Deploy]]. #ops"
    remem.store(fact, id="noon", tags=["x"], metadata={"a": [1, {"b": None}]}, source="chat", importance=0.9)
    people = {"entities": [{"name": "Amina", "type": "person", "description": "A captain."}]}
    remem.store("Amina sails it.", source="chat", memory_type="short_term", ttl=5000, graph_extraction=people)
    remem.store("An old fact.", id="old", metadata={"kept": True})
    remem.delete("old")
    remem.connect("noon", "Deploy", "caused_by", 0.5)
    remem.relate("Deploy", "The stale timetable", type="supports", weight=3)
    remem.relate("noon", target_label="Not yet there", weight=2)


def describe(export: Export) -> dict[str, Any]:
    """What two exports must have in common: all but the ids of notes, which follow from how they came to be."""
    places = {node.id: (node.root, node.source, node.position, node.kind, node.label) for node in export.nodes}
    return {
        "nodes": [(places[node.id], node.content, node.tags) for node in export.nodes],
        "memories": sorted(row._replace(node=0) for row in export.rows.memories),
        "archived": [(row._replace(node=0), text) for row, text in export.rows.archived],
        "entities": export.rows.entities,
        "texts": sorted(export.rows.texts.values()),
        "edges": sorted(
            (places[edge.source_id], places[edge.target_id], edge.relationship_type, edge.origin, edge.weight)
            for edge in export.edges
            if edge.origin in ("manual", "parsed")
        ),
        "times": sorted((edge.created_at, edge.updated_at) for edge in export.edges if edge.origin == "manual"),
        "pending": sorted((edge.label, edge.origin, edge.weight) for edge in export.pending),
    }


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_an_export_makes_the_same_store_again_and_importing_it_twice_changes_nothing(
    world: tuple[Path, Export], tmp_path: Path, form: str
) -> None:
    folder, export = world
    whole, lines = wire.dump_json(wire.show_export(export)), map(wire.dump_json, wire.list_lines(export))
    (tmp_path / "export").write_bytes(whole if form == "json" else b"".join(lines))
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        report = remem.import_file(tmp_path / "export")
        assert (report.form, report.documents, report.edges, report.waiting) == (form, 36, 3, 1)
        assert report.problems == () and report.stored == 3
        assert remem.doctor().healthy
        wanted, found = describe(export), describe(remem.export())
        for part, value in wanted.items():
            assert found[part] == value, part
        snapshots = remem.stats().snapshots
        again = remem.import_file(tmp_path / "export")
        assert (again.stored, again.updated, again.documents, again.edges, again.waiting) == (0, 0, 0, 0, 0)
        assert again.problems == () and remem.stats().snapshots == snapshots
        compiled = remem.compile(folder / "gangway")  # the same root, wherever it lies
        assert (compiled.root, compiled.files, compiled.files_unchanged) == ("gangway", 36, 36)


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_an_archived_memory_comes_back_with_what_it_had(
    world: tuple[Path, Export], tmp_path: Path, form: str
) -> None:  # fmt: skip
    _, export = world
    whole, lines = wire.dump_json(wire.show_export(export)), map(wire.dump_json, wire.list_lines(export))
    (tmp_path / "export").write_bytes(whole if form == "json" else b"".join(lines))
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.import_file(tmp_path / "export")
        assert remem.get("old", archived=True).archived
        assert remem.unarchive("old").metadata == {"kept": True}
        assert remem.doctor().healthy


@pytest.mark.parametrize("labels", [("Plan#One",), ("Plan#One", "Plan#Two"), ("Plan", "Plan#One")])
def test_relations_that_wait_for_a_heading_make_no_others(tmp_path: Path, labels: tuple[str, ...]) -> None:
    with Remem.open_sync(tmp_path / "a.db") as one:
        one.store("# Plan\n\nof the harbour", id="plan")
        one.store("A fact.", id="fact")
        for weight, label in enumerate(labels, start=2):
            one.relate("fact", target_label=label, weight=weight)
        export = one.export()
        (tmp_path / "export").write_bytes(b"".join(map(wire.dump_json, wire.list_lines(export))))
        assert one.import_file(tmp_path / "export").edges == 0
        assert {**describe(one.export()), "times": []} == {**describe(export), "times": []}
    with Remem.open_sync(tmp_path / "b.db") as two:
        two.import_file(tmp_path / "export")
        assert describe(two.export()) == describe(export)
        assert two.doctor().healthy
        assert two.unrelate("fact", "plan").deleted == len(labels)


def test_into_a_store_that_holds_something_only_what_is_missing_comes(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "a.db") as one:
        one.store("The same fact.", id="one", source="chat")
        one.store("One more.", id="more")
        one.store("Mine.", id="clash")
        one.connect("one", "more")
        lines = b"".join(map(wire.dump_json, wire.list_lines(one.export())))
        (tmp_path / "export").write_bytes(lines)
    with Remem.open_sync(tmp_path / "b.db") as two:
        two.store("The same fact.", id="other", source="chat", importance=0.9)
        two.store("Yours.", id="clash")
        report = two.import_file(tmp_path / "export")
        assert (report.stored, report.unchanged, report.edges) == (1, 1, 1)
        assert ["clash" in problem.message for problem in report.problems] == [True]
        assert two.get("clash").content == "Yours." and two.get("other").importance == 0.9
        assert [(edge.source_id, edge.target_id) for edge in two.connections()] == [("other", "more")]
        assert two.doctor().healthy


def test_a_root_of_that_name_with_other_texts_stays_as_it_is(world: tuple[Path, Export], tmp_path: Path) -> None:
    _, export = world
    (tmp_path / "export").write_bytes(wire.dump_json(wire.show_export(export)))
    (tmp_path / "gangway").mkdir()
    (tmp_path / "gangway" / "mine.md").write_text("# Mine\n")
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.compile(tmp_path / "gangway")
        report = remem.import_file(tmp_path / "export")
        assert report.documents == 0 and len([p for p in report.problems if "compile its folder" in p.message]) == 36
        assert [root.documents for root in remem.roots()] == [1] and remem.stats().documents == 1
        assert report.stored == 3 and remem.doctor().healthy


# --- knowledge graphs -------------------------------------------------------------------------------------------------


def test_an_entity_becomes_a_memory_with_its_observations_and_relations(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "memory.jsonl", ALICE, WORKS, ACME, CAUSED, ALICE | {"observations": ["Has a boat"]})
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        report = remem.import_file(file)
        assert (report.form, report.stored, report.problems) == ("mcp-memory", 2, ())
        alice, acme = remem.get("Alice Smith"), remem.get("Acme [x|y]")
        assert alice.content == (
            f"# Alice Smith\n\n- Speaks Spanish\n- Sails\n  at dawn\n- Has a boat\n- works_at [[{acme.id}|Acme x y]]"
        )
        assert alice.tags == ("person",) and acme.tags == ("big-company",)
        assert acme.metadata == {"entity_type": "big company"}
        edges = {(edge.source_id, edge.relationship_type, edge.target_id) for edge in remem.connections()}
        assert edges == {(alice.id, "references", acme.id), (acme.id, "caused_by", alice.id)}


def test_a_graph_that_grew_is_imported_again_under_the_same_ids(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "memory.jsonl", ALICE, ACME)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.import_file(file)
        before = remem.get("Alice Smith")
        write_lines(file, ALICE | {"observations": ["Speaks French"]}, ACME, WORKS)
        report = remem.import_file(file)
        assert (report.stored, report.updated, report.unchanged) == (0, 1, 1)
        after = remem.get(before.id)
        assert "Speaks French" in after.content and after.created_at == before.created_at
        assert remem.doctor().healthy


# --- bad input --------------------------------------------------------------------------------------------------------

EDGE = {"type": "edge", "origin": "manual", "source_id": "a", "relationship_type": "supports"}
NODE = {"type": "node", "kind": "memory", "id": "m1", "content": "Fact.", "memory": {}}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("not json", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"type": "planet"}', "planet"),
        ('{"name": "no type"}', "not known"),
        ("{" * 100_000, "no JSON object"),
        ('{"type": "node", "kind": "memory", "content": "x", "importance": NaN}', "no JSON object"),
        ({"type": "entity", "entityType": "x", "observations": []}, "name is missing"),
        ({"type": "entity", "name": " ", "entityType": "x"}, "name"),
        ({"type": "entity", "name": 7, "entityType": "x"}, "name"),
        ({"type": "entity", "name": "a", "observations": "x"}, "observations"),
        ({"type": "entity", "name": "a", "observations": [1]}, "observations"),
        ({"type": "relation", "from": "Nobody", "to": "Alice Smith", "relationType": "x"}, "Nobody"),
        ({"type": "relation", "from": "Alice Smith", "to": "x"}, "relationType is missing"),
        (NODE | {"id": "no spaces"}, "id"),
        (NODE | {"content": ""}, "content"),
        (NODE | {"content": "a\0b"}, "NUL"),
        ('{"type": "node", "kind": "memory", "id": "m1", "content": "\\ud800"}', "surrogate"),
        (NODE | {"content": "x" * 100_001}, "100001"),
        (NODE | {"memory": {"importance": 2}}, "importance"),
        (NODE | {"memory": {"memory_type": "eternal"}}, "memory_type"),
        (NODE | {"memory": {"created_at": "yesterday"}}, "created_at"),
        (NODE | {"memory": {"created_at": 5}}, "created_at"),
        (NODE | {"memory": {"tags": "x" * 1000}}, "tags"),
        (NODE | {"memory": []}, ""),
        ({"type": "node", "kind": "text", "id": "x", "root": "r", "source": "s"}, "position is missing"),
        ({"type": "node", "kind": "entity", "id": "x", "label": ""}, "name"),
        ({"type": "edge", "origin": "manual", "source_id": "a", "target_id": "b", "relationship_type": "x"}, "x"),
        (
            {"type": "edge", "origin": "manual", "source_id": "a", "target_id": "b", "relationship_type": "supports"},
            "a",
        ),
        (
            {"type": "edge", "origin": "manual", "source_id": "a", "relationship_type": "supports"},
            "target_id is missing",
        ),
    ],
)
def test_a_bad_line_is_told_and_the_others_are_taken_in(tmp_path: Path, line: object, told: str) -> None:
    file = write_lines(tmp_path / "memory.jsonl", ALICE, line, ACME)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        report = remem.import_file(file)
        if line != NODE | {"memory": []}:
            ((number, message),) = [(problem.line, problem.message) for problem in report.problems]
            assert number == 2 and told in message and len(message) < 400, message
        assert remem.get("Alice Smith").id and remem.doctor().healthy


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"hello", b"[]", b"{}", b'{"nodes": 5}', b"\xff\xfe\x00", b'{"type": "planet"}', b"null"]
)
def test_a_file_of_no_known_form_is_refused_and_makes_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        with pytest.raises(InvalidInputError):
            remem.import_file(tmp_path / "file")
        assert remem.stats().nodes == 0


def test_a_file_that_cannot_be_read_is_not_found(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        for path in (tmp_path / "none", tmp_path):
            with pytest.raises(NotFoundError):
                remem.import_file(path)


@pytest.mark.parametrize("source", ["../../out.md", "/etc/out.md", "a/../../out.md", "a\0.md", "", "x" * 5000 + ".md"])
def test_no_text_is_written_outside_of_its_place(tmp_path: Path, source: str) -> None:
    document = {"kind": "document", "id": "d", "root": "notes", "source": source, "position": 0, "text": "# Out\n"}
    file = write_lines(tmp_path / "f", {"type": "node", **document}, ALICE)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        report = remem.import_file(file)
        assert report.stored == 1 and report.documents == 0 and report.problems
    assert {path.name for path in tmp_path.iterdir()} <= {"f", "memory.db", "memory.db-wal", "memory.db-shm"}


def test_a_relation_between_entities_of_other_files_waits_for_them(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.import_file(write_lines(tmp_path / "one", ALICE, WORKS))
        assert remem.connections().total == 0 and len(remem.pending()) == 1
        remem.import_file(write_lines(tmp_path / "two", ACME))
        assert remem.connections().total == 1 and len(remem.pending()) == 0


def test_a_file_with_a_byte_order_mark_and_windows_lines_is_read() -> None:
    text = "\ufeff" + json.dumps(ALICE) + "\r\n" + json.dumps(ACME) + "\r\n"
    assert len(read_import(text.encode("utf-8")).memories) == 2


def test_an_import_that_is_cancelled_can_be_run_again(world: tuple[Path, Export], tmp_path: Path) -> None:
    _, export = world
    (tmp_path / "export").write_bytes(b"".join(map(wire.dump_json, wire.list_lines(export))))

    async def run() -> None:
        for steps in range(1, 40, 6):
            async with Remem.open(tmp_path / "memory.db") as remem:
                call = asyncio.create_task(remem.import_file(tmp_path / "export"))
                for _ in range(steps):
                    await asyncio.sleep(0.002)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
        async with Remem.open(tmp_path / "memory.db") as remem:
            assert (await remem.import_file(tmp_path / "export")).problems == ()
            assert (await remem.doctor()).healthy
            assert describe(await remem.export())["nodes"] == describe(export)["nodes"]

    asyncio.run(run())


# --- the commands -----------------------------------------------------------------------------------------------------


def test_the_commands_do_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "graph.jsonl", ALICE, ACME, "bad")
    done = run_command("--db", "memory.db", "import", "graph.jsonl", "--json")
    assert done.status == 0 and done.load()["stored"] == 2 and len(done.load()["problems"]) == 1
    assert run_command("--db", "memory.db", "import", "graph.jsonl", "--strict").status == 1
    (tmp_path / "bad.jsonl").write_text('{"type": "entity"}\nrubbish\n', encoding="utf-8")
    assert run_command("--db", "memory.db", "import", "bad.jsonl").status == 1
    told = run_command("--db", "memory.db", "import", "graph.jsonl").err
    assert "2 memories there already" in told and "line 3: " in told
    copied = run_command("--db", "memory.db", "backup", "copy.db", "--json").load()
    assert copied["bytes"] == (tmp_path / "copy.db").stat().st_size
    put_back = run_command("--db", "memory.db", "restore", "copy.db", "--json").load()
    assert Path(put_back["kept"]).is_file()
    assert run_command("--db", "memory.db", "migrate", "--json").load()["missing"] == []
    assert run_command("--db", "memory.db", "export", "--format", "jsonl").out.count("\n") == 2


def test_a_command_that_fails_makes_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").write_text("bad")
    for line in (["import", "bad"], ["import", "none"], ["backup", "x.db"], ["restore", "none.db"], ["migrate"]):
        done = run_command("--db", "memory.db", *line)
        assert done.status in (1, 2) and done.err.count("\n") == 1 and done.err.startswith("error: "), line
    assert {path.name for path in tmp_path.iterdir()} == {"bad"}
