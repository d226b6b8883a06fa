"""Neighbourhoods, figures and exports of the graph, as a caller of the engine sees them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from remem.engine import Remem
from remem.errors import InvalidInputError, NotFoundError
from remem.faces.cli.app import cli
from remem.records import GraphFigures, Neighbourhood


def write_notes(folder: Path) -> Path:
    folder.mkdir()
    notes = {
        "Hub": "# Hub\n\n[[Left]] [[Right]] [[Far away]]\n\n## Inner\n\n[[Left]]\n",
        "Left": "# Left\n\n[[Right]] weight=2\n",
        "Right": "# Right\n",
        "Far away": "# Far away\n\n[[Farther]]\n",
        "Farther": "# Farther\n",
        "Lone": "# Lone\n",
    }
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def look(path: Path, *nodes: str, depth: int = 1, limit: int = 200) -> Neighbourhood:
    async def run() -> Neighbourhood:
        async with Remem.open(path / "a.db") as remem:
            await remem.compile(write_notes(path / "notes"))
            return await remem.neighbourhood(nodes, depth, limit)

    return asyncio.run(run())


def test_a_neighbourhood_has_the_nodes_around_and_all_edges_between_them(tmp_path: Path) -> None:
    found = look(tmp_path, "Hub")
    label = {node.id: node.label for node in found.nodes}
    assert (found.nodes[0].label, found.nodes[0].distance) == ("Hub", 0)
    assert {"Far away", "Left", "Right"} <= set(label.values())
    assert not {"Farther", "Lone"} & set(label.values())
    between = sorted((label[edge.source_id], label[edge.target_id]) for edge in found.edges)
    assert ("Left", "Right") in between
    assert between.count(("Hub", "Left")) + between.count(("Inner", "Left")) == 2
    assert found.left_out == 0


def test_a_limit_keeps_the_nearest_and_says_what_it_left_out(tmp_path: Path) -> None:
    found = look(tmp_path, "Hub", depth=2, limit=2)
    assert len(found.nodes) == 2
    assert found.nodes[0].label == "Hub"
    assert found.left_out > 0


def test_wrong_requests_for_a_neighbourhood_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        look(tmp_path, "Nowhere")

    async def run(nodes: object, depth: object, limit: object) -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            await remem.neighbourhood(nodes, depth, limit)  # type: ignore[arg-type]

    for wrong in (("Hub", 1, 5), ([], 1, 5), (["Hub"], 6, 5), (["Hub"], -1, 5), (["Hub"], 1, 0), (["Hub"], True, 5)):
        with pytest.raises(InvalidInputError):
            asyncio.run(run(*wrong))


def test_figures_tell_groups_of_documents_and_hubs(tmp_path: Path) -> None:
    async def run() -> GraphFigures:
        async with Remem.open(tmp_path / "a.db") as remem:
            empty = await remem.graph_figures()
            assert (empty.nodes, empty.edges, empty.groups, empty.hubs) == (0, 0, (), ())
            await remem.compile(write_notes(tmp_path / "notes"))
            return await remem.graph_figures()

    figures = asyncio.run(run())
    assert figures.groups == (5,)
    assert figures.lone == 1
    assert figures.edges == 6
    assert max(hub.out + hub.back for hub in figures.hubs) == figures.hubs[0].out + figures.hubs[0].back


@pytest.mark.parametrize(("form", "start"), [("graphml", "<?xml"), ("dot", "digraph"), ("mermaid", "flowchart")])
def test_the_command_line_exports_the_graph(tmp_path: Path, form: str, start: str) -> None:
    runner, store = CliRunner(), ["--db", str(tmp_path / "a.db")]
    runner.invoke(cli, [*store, "compile", str(write_notes(tmp_path / "notes"))], catch_exceptions=False)
    done = runner.invoke(cli, [*store, "export", "--format", form], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.startswith(start)
    assert "Far away" in done.stdout


def test_the_command_line_tells_how_the_graph_hangs_together(tmp_path: Path) -> None:
    runner, store = CliRunner(), ["--db", str(tmp_path / "a.db")]
    runner.invoke(cli, [*store, "compile", str(write_notes(tmp_path / "notes"))], catch_exceptions=False)
    done = runner.invoke(cli, [*store, "stats"], catch_exceptions=False)
    assert "largest group" in done.stdout
    assert '"lone":1' in runner.invoke(cli, [*store, "stats", "--json"], catch_exceptions=False).stdout
