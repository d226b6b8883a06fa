"""What the commands print, to people and to scripts, and the exit statuses that scripts rely on."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from remem import Remem
from remem.config import load_settings
from remem.errors import ConflictError
from remem.faces.cli.session import keep_absent
from tests.faces.command import remem

BLOCKS = {"text", "list", "table", "code", "kv", "quote", "html", "embed"}


# --- notes ------------------------------------------------------------------------------------------------------------


def test_a_compile_tells_what_it_did_on_stderr_and_leaves_stdout_to_data(folder: Path) -> None:
    (folder / "gangway" / "new.md").write_text("# New\n\nSee [[Glossary]] and [[Nowhere yet]].\n")
    (folder / "gangway" / "glossary.md").unlink()
    done = remem("compile", "gangway")
    assert (done.status, done.out) == (0, "")
    assert "1 file added, 1 removed, 35 files unchanged" in done.err


def test_a_compile_that_finds_nothing_new_says_so(folder: Path) -> None:
    done = remem("compile", "gangway", "--json")
    assert "36 files unchanged" in done.err and "no node changed" in done.err
    assert done.load()["snapshot"] is None


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    (folder / "gangway" / "new.md").write_text("# New\n")
    assert "dry run" in remem("compile", "gangway", "--dry-run").err
    assert remem("show", "New").status == 1


def test_problems_of_files_are_listed_counted_and_fail_a_strict_compile(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(25):
        (notes / f"{number:02}.md").write_text(f"---\na: [{number}\n---\n\ntext\n")
    done = remem("--db", tmp_path / "m.db", "compile", notes)
    lines = done.err.splitlines()
    assert done.status == 0 and lines[0].startswith("00.md:") and "… 5 more; --json shows all" in lines
    assert lines[21].startswith("problems: 25 ")
    strict = remem("--db", tmp_path / "m.db", "compile", notes, "--strict", "--json")
    assert strict.status == 1 and len(strict.load()["diagnostics"]) == 25


def test_a_dropped_root_leaves_the_store_and_stays_on_the_disk(folder: Path) -> None:
    done = remem("drop", "gangway", "--json")
    assert done.load()["documents"] == 36
    assert remem("roots", "--json").load()["roots"] == []
    assert (folder / "gangway" / "glossary.md").exists()


def test_init_writes_settings_that_hold_and_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert remem("--db", 'my "notes".db', "init").status == 0
    assert load_settings(Path("remem-server.toml")).storage.path == 'my "notes".db'
    assert remem("tree").status == 0
    Path("remem-server.toml").write_text('[storage]\npath = "other.db"\n')
    assert "stays as it is" in remem("init").err
    assert Path("remem-server.toml").read_text() == '[storage]\npath = "other.db"\n'
    assert os.path.exists("other.db")


@pytest.mark.parametrize(("model", "threshold"), [("multilingual-e5-small", 0.92), ("nomic-embed-text", 0.7)])
def test_init_writes_the_threshold_of_discovery_that_fits_the_embedder(
    model: str, threshold: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "ollama")
    monkeypatch.setenv("REMEM_EMBEDDING__MODEL", model)
    assert remem("init").status == 0
    assert load_settings(Path("remem-server.toml")).connections.auto_discovery_threshold == threshold


@pytest.mark.parametrize("place", ["none/x.db", "folder", "text"])
def test_an_init_that_fails_leaves_nothing(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no store")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = remem("--db", place, "init")
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert sorted(tmp_path.iterdir()) == before
    assert remem("--db", "kept.db", "init").status == 0
    assert remem("--db", place, "init").status == 1 and os.path.exists("remem-server.toml")


@pytest.mark.parametrize("line", [("store", ""), ("store", "x", "--id", "a b"), ("write", ""), ("import", "none")])
def test_a_store_that_was_made_for_a_call_that_fails_is_taken_away(
    line: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert remem("--db", "new.db", *line).status != 0
    assert list(tmp_path.iterdir()) == []
    assert remem("--db", "new.db", "store", "A fact.").status == 0
    assert remem("--db", "new.db", *line).status != 0
    assert remem("--db", "new.db", "tree", "--json").load()["total"] == 1


def test_a_store_that_somebody_else_has_written_into_is_not_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(ConflictError), keep_absent(str(path), when=False):
        with Remem.open_sync(path) as other:
            other.store("A fact.")
        raise ConflictError("this call fails")
    assert path.exists()
    with Remem.open_sync(path) as other, pytest.raises(ConflictError), keep_absent(str(tmp_path / "b.db"), when=False):
        other.backup(tmp_path / "b.db")
        raise ConflictError("this call fails")
    assert (tmp_path / "b.db").exists()


def test_a_store_that_somebody_has_open_is_not_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with ExitStack() as stack:
        with pytest.raises(ConflictError), keep_absent(str(path), when=False):
            other = stack.enter_context(Remem.open_sync(path))
            raise ConflictError("this call fails")
        other.store("A fact.")
    assert path.exists()


def test_init_writes_nothing_under_settings_that_contradict_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "folder")
    done = remem("init")
    assert done.status != 0 and "needs a folder" in done.err
    assert list(tmp_path.iterdir()) == []


# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_tree_is_an_outline_and_shows_blocks_only_when_asked(store: Path) -> None:
    outline = remem("--db", store, "tree", "--sections", "--json").load()["nodes"]
    everything = remem("--db", store, "tree", "--json").load()["nodes"]
    assert everything == remem("--db", store, "tree", "--all", "--json").load()["nodes"]
    assert len(remem("--db", store, "tree").out.splitlines()) == len(outline)
    assert {node["kind"] for node in outline} == {"document", "heading"}
    assert {node["kind"] for node in everything} > {"document", "heading"}
    sections = [node["id"] for node in everything if node["kind"] not in BLOCKS]
    assert [node["id"] for node in outline] == [id for id in sections if id in {node["id"] for node in outline}]


def test_each_line_of_the_tree_holds_label_kind_and_id(store: Path) -> None:
    done = remem("--db", store, "tree")
    nodes = remem("--db", store, "tree", "--sections", "--json").load()["nodes"]
    for line, node in zip(done.out.splitlines(), nodes, strict=True):
        assert line.startswith("  " * node["depth"] + node["label"] + "  ")
        assert f"  {node['kind']} {node['id']}" in line


@pytest.mark.parametrize("more", [("--sections",), ("--all",)])
def test_the_tree_says_how_much_lies_deeper_than_was_asked(store: Path, more: tuple[str, ...]) -> None:
    top = remem("--db", store, "tree", "--depth", "0", "--json", *more).load()["nodes"][0]
    below = remem("--db", store, "tree", top["id"], *more).out.splitlines()[1:]
    assert top["hidden"] == len(below) > 0
    assert remem("--db", store, "tree", "--depth", "0", *more).out.splitlines()[0].endswith(f"  +{len(below)} below")


def test_a_node_is_shown_with_the_text_of_its_section_and_its_edges(store: Path) -> None:
    done = remem("--db", store, "show", "The stale timetable")
    assert "# The stale timetable\n\nOn 3 May," in done.out
    assert "<--caused_by 3 parsed-- " in done.out and "\nBelow\n" in done.out


def test_a_terminal_gets_colour_and_rulings_and_a_pipe_gets_neither(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for arguments in (("tree", "Deploy"), ("related", "Deploy"), ("roots",), ("pending",), ("show", "Deploy")):
        plain = remem("--db", store, *arguments).out
        assert "\x1b" not in plain and not set(plain) & set("├└─│▶◀")
        assert "\x1b[" in remem("--db", store, *arguments, terminal=True).out
        monkeypatch.setenv("NO_COLOR", "1")
        assert not {"\x1b[31m", "\x1b[32m", "\x1b[36m"} & set(remem("--db", store, *arguments, terminal=True).out)
        monkeypatch.delenv("NO_COLOR")


def test_a_note_cannot_send_commands_to_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "evil.md").write_text("# Ti\x1b[2Jtle\x07\n\nTe\x1b]0;x\x07xt\u2028y\n", encoding="utf-8")
    db = tmp_path / "m.db"
    assert remem("--db", db, "compile", tmp_path / "evil.md").status == 0
    for arguments in (("tree", "--all"), ("show", "evil"), ("related", "evil")):
        assert not {"\x1b", "\x07", "\u2028"} & set(remem("--db", db, *arguments, terminal=True).out)


# --- the graph --------------------------------------------------------------------------------------------------------


def test_each_result_comes_with_the_path_that_leads_to_it(store: Path) -> None:
    lines = remem("--db", store, "related", "The double-booked deck", "--depth", "2").out.splitlines()
    assert lines[0].startswith("4.5    2 hops  Why, as far as we can tell  heading ")
    assert lines[1].strip() == (
        "The double-booked deck --references 2.5 parsed--> Lane metres instead of car slots"
        " <--references 2 parsed-- Why, as far as we can tell"
    )


def test_a_path_too_long_for_the_line_is_broken_at_its_hops(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = remem("--db", store, "related", "The double-booked deck", "--depth", "2", "--limit", "1").out.splitlines()
    assert [line.strip() for line in lines[1:]] == [
        "The double-booked deck",
        "--references 2.5 parsed--> Lane metres instead of car slots",
        "<--references 2 parsed-- Why, as far as we can tell",
    ]


def test_filters_may_be_lists_with_commas_or_be_given_several_times(store: Path) -> None:
    command = ("--db", store, "related", "The stale timetable", "--json")
    once = remem(*command, "--type", "caused_by,similar_to").load()["related"]
    twice = remem(*command, "--type", "caused_by", "--type", "similar_to").load()["related"]
    assert once == twice and {item["connection"]["relationship_type"] for item in once} == {"caused_by", "similar_to"}


def test_the_connection_of_a_result_is_the_last_edge_of_its_path(store: Path) -> None:
    exported = remem("--db", store, "export").load()
    made = {
        tuple(edge[name] for name in ("source_id", "target_id", "relationship_type")): edge
        for edge in exported["edges"]
    }
    found = remem("--db", store, "related", "The double-booked deck", "--depth", "3", "--json").load()
    assert len(found["memory_id"]) == 11 and found["related"]
    for item in found["related"]:
        last, connection = item["path"][-1], item["connection"]
        edge = made[last["source_id"], last["target_id"], last["relationship_type"]]
        assert connection["target_id"] == item["memory"]["id"] == last["id"]
        assert connection["strength"] == min(edge["weight"], 1) and connection["weight"] == edge["weight"]
        assert (connection["direction"], connection["created_at"]) == (last["direction"], edge["created_at"])


def test_an_edge_is_made_updated_and_removed(store: Path) -> None:
    command = ("--db", store, "relate", "Deploy", "The stale timetable", "--type", "caused_by", "--json")
    first = remem(*command, "--weight", "2").load()
    assert (first["created"], first["pending"], first["connection"]["weight"], first["connection"]["strength"]) == (
        *(True, False),
        *(2.0, 1.0),
    )
    again = remem(*command, "--weight", "0.5").load()
    assert not again["created"] and again["connection"]["created_at"] == first["connection"]["created_at"]
    assert "--caused_by 0.5 manual--> The stale timetable" in remem("--db", store, "related", "Deploy").out
    removed = remem("--db", store, "unrelate", "Deploy", "The stale timetable", "--json").load()
    assert removed["success"] and removed["deleted"] == 1
    assert remem("--db", store, "unrelate", "Deploy", "The stale timetable").status == 1


def test_an_edge_to_what_does_not_exist_waits_and_says_so(store: Path) -> None:
    done = remem("--db", store, "relate", "Deploy", "A note to come")
    assert done.status == 0 and "waiting" in done.err and "'A note to come'" in done.err
    assert "[[A note to come]]  related_to 1 manual from " in remem("--db", store, "pending").out
    assert remem("--db", store, "unrelate", "Deploy", "A note to come").status == 0
    assert "A note to come" not in remem("--db", store, "pending").out


def test_a_link_in_a_text_cannot_be_taken_away_by_a_call(store: Path) -> None:
    step = remem("--db", store, "path", "The stale timetable", "Amina Okafor", "--json").load()["found"]["path"][0]
    done = remem("--db", store, "unrelate", step["source_id"], step["target_id"])
    assert done.status == 1 and ".md" in done.err


def test_no_path_is_an_answer(store: Path) -> None:
    made = remem("--db", store, "path", "Deploy", "Deploy", "--json")
    assert made.status == 0 and made.load()["found"] is None
    assert "no path" in remem("--db", store, "path", "Deploy", "Deploy").err


def test_what_waits_is_listed_by_file_with_names_that_may_be_meant(store: Path) -> None:
    lines = remem("--db", store, "pending").out.splitlines()
    place = lines.index("gangway/architecture/timetable.md")
    assert lines[place + 1].startswith("  [[Winter timetable 2027]]  references 1 parsed from ")
    assert "did you mean The stale timetable " in lines[place + 2]


# --- the store --------------------------------------------------------------------------------------------------------


def test_an_export_holds_nodes_edges_and_pending_edges(store: Path, tmp_path: Path) -> None:
    exported = remem("--db", store, "export").load()
    assert list(exported) == ["nodes", "edges", "pending", "archived"]
    stats = remem("--db", store, "stats", "--json").load()
    assert [len(part) for part in exported.values()] == [
        stats["nodes"],
        sum(row["edges"] for row in stats["edges"]),
        stats["pending"],
        stats["archived"],
    ]
    remem("--db", store, "export", "--out", tmp_path / "all.json")
    assert (tmp_path / "all.json").read_text(encoding="utf-8") == remem("--db", store, "export").out


def test_an_export_as_markdown_gives_the_files_back(folder: Path) -> None:
    assert remem("export", "--format", "markdown", "--out", "again").status == 0
    for path in (folder / "gangway").rglob("*.md"):
        assert (folder / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_a_store_is_never_overwritten_by_its_own_export(store: Path) -> None:
    before = store.read_bytes()
    assert remem("--db", store, "export", "--out", store).status == 1
    assert store.read_bytes() == before


def test_the_doctor_fails_where_an_invariant_is_broken_and_repairs_it(store: Path) -> None:
    assert remem("--db", store, "doctor").status == 0
    break_store(store)
    broken = remem("--db", store, "doctor", "--json")
    assert broken.status == 1 and not broken.load()["healthy"]
    assert remem("--db", store, "doctor").out.startswith("fault")
    assert remem("--db", store, "doctor", "--fix").status == 0
    assert remem("--db", store, "doctor", "--json").load()["healthy"]


def break_store(store: Path) -> None:
    from remem.storage import sqlite

    connection = sqlite.choose().connect(store)
    connection.execute("DELETE FROM edges WHERE origin = 1")
    connection.commit()
    connection.close()


def test_the_demo_shows_tree_relations_paths_and_what_waits_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = remem("demo")
    assert done.status == 0
    for shown in ("Seat inventory", "--references 2.5 parsed-->", "Winter timetable 2027", "Try next"):
        assert shown in done.out
    assert list(tmp_path.iterdir()) == []


def test_the_demo_keeps_its_store_where_one_is_named_and_touches_no_other_notes(tmp_path: Path) -> None:
    assert remem("--db", tmp_path / "demo.db", "demo").status == 0
    assert remem("--db", tmp_path / "demo.db", "demo").status == 0
    (tmp_path / "mine").mkdir()
    remem("--db", tmp_path / "mine.db", "compile", tmp_path / "mine")
    assert remem("--db", tmp_path / "mine.db", "demo").status == 1


@pytest.mark.parametrize("line", [["compile", "{notes}", "--dry-run"], ["compile", "{notes}/nowhere"]])
def test_a_compile_that_writes_nothing_leaves_no_store_behind(tmp_path: Path, line: list[str]) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n", encoding="utf-8")
    remem("--db", tmp_path / "memory.db", *(part.format(notes=notes) for part in line))
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]
