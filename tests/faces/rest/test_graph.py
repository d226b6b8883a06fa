"""The graph and the notes by REST: pictures, paths, the index, one node, what waits, compiles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.faces.rest.options import ServerOptions
from tests.faces.rest.site import Site

ENDED = ("done", "failed", "cancelled")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "Deploy.md").write_text(
        "# Deploy\n\nSee [[Keys]] and [[To come]].\n\n## Steps\n\nOne.\n", encoding="utf-8"
    )
    (folder / "Keys.md").write_text("# Keys\n\nRotate on Fridays.\n", encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, notes: Path) -> Iterator[Site]:
    with Site(tmp_path / "memory.db", ServerOptions(compile_roots=(str(notes),))) as site:
        site.run(site.remem.compile, notes)
        yield site


def end_compile(site: Site, **body: object) -> Any:
    task = site.ask("POST", "/compile", 202, json=body)

    def look() -> Any:
        found = site.get(f"/tasks/{task['task_id']}")
        return found if found["state"] in ENDED else None

    return site.wait(look)


def test_the_index_lists_documents_and_sections(vault: Site) -> None:
    page = vault.get("/tree", blocks="false")
    assert [line["label"] for line in page["nodes"]] == ["Deploy", "Deploy", "Steps", "Keys", "Keys"]
    assert vault.get("/tree", node="Steps")["nodes"][0]["label"] == "Steps"
    assert vault.get("/tree", depth=0)["total"] == 2
    cut = vault.get("/tree", budget=60)
    assert cut["left_out"] > 0 and cut["cursor"]
    assert vault.get("/tree", budget=60, cursor=cut["cursor"])["nodes"]


def test_a_node_is_read_with_what_it_lies_in(vault: Site) -> None:
    node = vault.get("/nodes/Steps")
    assert [crumb["label"] for crumb in node["breadcrumb"]] == ["Deploy", "Deploy"] or node["breadcrumb"]
    assert "One." in node["text"] and node["tokens"] > 0
    vault.refuse("GET", "/nodes/nobody", 404, "not_found")


def test_links_that_wait_are_listed_whole(vault: Site) -> None:
    page = vault.get("/pending")
    (edge,) = page["pending"]
    assert (edge["label"], edge["origin"], page["total"]) == ("To come", "parsed", 1)


def test_the_picture_is_of_the_whole_or_around_some_nodes(vault: Site) -> None:
    whole = vault.get("/graph")
    assert {node["label"] for node in whole["nodes"]} == {"Deploy", "Keys", "Steps"}
    assert [(edge["relationship_type"], edge["origin"]) for edge in whole["edges"]] == [("references", "parsed")]
    few = vault.get("/graph", limit=1)
    assert len(few["nodes"]) == 1 and few["left_out"] == 2
    around = vault.get("/graph", nodes="Deploy,Keys", depth=0)
    assert len(around["nodes"]) == 2 and len(around["edges"]) == 1
    vault.refuse("GET", "/graph?nodes=nobody", 404, "not_found")


def test_a_path_leads_from_one_node_to_another_or_there_is_none(vault: Site) -> None:
    found = vault.get("/path", source="Deploy", target="Keys")
    assert found["found"]["hops"] == 1 and found["found"]["connection"]["origin"] == "parsed"
    vault.store("alone", "linked with nothing")
    assert vault.get("/path", source="Deploy", target="alone")["found"] is None
    vault.refuse("GET", "/path?source=Deploy&target=nobody", 404, "not_found")
    assert vault.refuse("GET", "/path?source=Deploy", 422, "invalid_input")["field"] == "target"


def test_roots_say_where_they_lie(vault: Site, notes: Path) -> None:
    (root,) = vault.get("/roots")["roots"]
    assert (root["name"], root["path"], root["documents"]) == ("harbour", str(notes), 2)


def test_a_compile_is_a_task_with_progress_and_a_report(vault: Site, notes: Path) -> None:
    (notes / "New.md").write_text("# To come\n\nHere.\n", encoding="utf-8")
    task = end_compile(vault, path=str(notes))
    assert task["state"] == "done" and task["report"]["files_added"] == 1
    assert vault.get("/pending")["total"] == 0
    assert vault.get("/tasks")["compiles"][0]["task_id"] == task["task_id"]
    text = vault.send("GET", f"/tasks/{task['task_id']}/events").text
    assert text.startswith("event: done\n") and '"files_added":1' in text


def test_a_compile_may_name_a_root_and_changes_nothing_when_dry(vault: Site, notes: Path) -> None:
    (notes / "New.md").write_text("# New\n", encoding="utf-8")
    task = end_compile(vault, path="harbour", dry_run=True)
    assert task["state"] == "done" and task["report"]["dry_run"] is True and task["report"]["files_added"] == 1
    assert vault.get("/roots")["roots"][0]["documents"] == 2


@pytest.mark.parametrize("path", ["/etc", "..", "harbour/../..", "~", "/", "harbour/../../etc/passwd"])
def test_nothing_outside_of_the_roots_is_compiled(vault: Site, path: str) -> None:
    vault.refuse("POST", "/compile", 403, "refused", json={"path": path})
    assert vault.get("/tasks")["compiles"] == []


def test_a_link_out_of_a_root_is_not_followed(vault: Site, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (notes / "way").symlink_to(tmp_path / "outside")
    vault.refuse("POST", "/compile", 403, "refused", json={"path": str(notes / "way")})


def test_a_root_that_cannot_be_is_refused_before_there_is_a_task(vault: Site, notes: Path) -> None:
    for name in ("a/b", "..", "a\\b"):
        problem = vault.refuse("POST", "/compile", 422, "invalid_input", json={"path": str(notes), "root": name})
        assert problem["field"] == "root"
    assert vault.get("/tasks")["compiles"] == []


def test_a_compile_that_fails_says_why(vault: Site, notes: Path) -> None:
    task = end_compile(vault, path=str(notes / "missing.md"))
    assert task["state"] == "failed" and task["problem"]["status"] == 404 and task["report"] is None


def test_unknown_tasks_are_not_found(vault: Site) -> None:
    vault.refuse("GET", "/tasks/none", 404, "not_found")
    vault.refuse("GET", "/tasks/none/events", 404, "not_found")
    vault.refuse("POST", "/tasks/none/run", 404, "not_found")
