"""The commands `stats`, `export` and `doctor`: the store as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remem.errors import RefusedError
from remem.faces import wire
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.files import force_option, refuse_file, write_file
from remem.faces.cli.output import clean_label, count, paint, print_data, print_json, print_lines, print_table, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import DoctorReport, Export, GraphFigures, Stats
SHOWN_COLD = 10


@command(
    "stats",
    """
    $ remem stats
    …
    roots               1
    documents           36
    …
    """,
)
@json_option
@pass_session
def stats_command(session: Session, as_json: bool) -> None:
    """Show the figures of the store: nodes, tokens, edges, links, and how the graph hangs together."""

    async def read(remem: Remem) -> tuple[Stats, GraphFigures]:
        return await remem.stats(), await remem.graph_figures()

    stats, graph = session.run(read)
    if as_json:
        return print_json(wire.show_figures(stats, graph))
    print_table(("figure", "value"), [*list_figures(stats), *list_graph_figures(graph)])


def list_figures(stats: Stats) -> Iterator[tuple[str, str]]:
    """Names of figures with their values."""
    yield "store", clean_label(stats.path)
    yield "bytes", str(stats.bytes)
    yield "schema version", str(stats.schema_version)
    for name in ("roots", "documents", "nodes", "tokens", "passages", "embedded", "owed", "tags", "snapshots"):
        yield name, str(getattr(stats, name))
    for name in ("pending", "ambiguous", "stale", "pinned", "archived"):
        yield name, str(getattr(stats, name))
    yield "problems in files", str(stats.diagnostics)
    yield "vectors", "yes" if stats.vectors else "no"
    queues = ("embed", stats.owed_embed), ("connect", stats.owed_discover), ("mentions", stats.owed_mentions)
    yield "queue", f"{', '.join(f'{owed} {name}' for name, owed in queues)}; {stats.waiting} tried again later"
    yield "worker", stats.worker + (f": {clean_label(stats.problem)}" if stats.problem else "")
    yield "near-duplicates", count(stats.near_duplicates, "group")
    yield "cold", f"{count(stats.cold.total, 'text')} that nobody has used for long"
    for node in stats.cold.nodes[:SHOWN_COLD]:
        told = f"{clean_label(node.label)}, {count(node.tokens, 'token')}, temperature {node.temperature:.2f}"
        yield f"cold {node.id}", told
    for kind, nodes, tokens in stats.kinds:
        yield f"kind {kind}", f"{count(nodes, 'node')}, {count(tokens, 'token')}"
    for type, origin, edges in stats.edges:
        yield f"edges {type}", f"{edges} {origin}"
    for state, links in stats.links:
        yield f"links {state}", str(links)


def list_graph_figures(graph: GraphFigures) -> Iterator[tuple[str, str]]:
    """How the graph hangs together, as names of figures with their values."""
    yield "nodes with edges", str(graph.linked)
    yield "document groups", str(len(graph.groups))
    if graph.groups:
        yield "largest group", count(graph.groups[0], "document")
    yield "documents alone", str(graph.lone)
    for hub in graph.hubs:
        yield f"hub {hub.id}", f"{clean_label(hub.label)}, {hub.out} out, {hub.back} in"


@command(
    "export",
    """
    $ remem export --format markdown --out notes-again
    36 files written below notes-again
    """,
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "jsonl", "graphml", "dot", "mermaid", "markdown"]),
    default="json",
    show_default=True,
    help="What to write.",
)
@click.option("--out", metavar="PATH", help="A file (default: stdout); a new folder for markdown.")
@force_option
@pass_session
def export_command(session: Session, form: str, out: str | None, force: bool) -> None:
    """Export everything as JSON, the graph for other programs, or all documents as files again, text for text.

    The JSON is {nodes, edges, pending, archived}, as documented in docs/cli.md; JSONL has the same line by line, each
    with its `type`. `remem import` takes both in. GraphML holds all nodes and edges; DOT (Graphviz) and Mermaid, which
    are drawn, the nodes that have edges.
    """
    if out == "" or (form == "markdown" and out is None):
        raise click.UsageError("--format markdown needs --out FOLDER" if out is None else "--out names no file")
    if form == "markdown" and out:
        files = session.run(lambda remem: remem.export_markdown(out))
        return say(f"{count(len(files), 'file')} written below {out}")
    if out:
        refuse_store(session, out)
        refuse_file(Path(out), force)
    data = render_export(session.run(lambda remem: remem.export()), form)
    if not out:
        return print_data(data, json=form.startswith("json"))
    write_file(Path(out), data)
    say(f"{count(len(data), 'byte')} written to {out}")


def render_export(export: Export, form: str) -> bytes:
    """The bytes of an export in one of the formats but Markdown."""
    if form == "json":
        return wire.dump_json(wire.show_export(export))
    if form == "jsonl":
        return b"".join(wire.dump_json(line) for line in wire.list_lines(export))
    from remem.rendering.graph_formats import FORMATS, write_graph

    return write_graph(export, FORMATS[form]).encode("utf-8", "replace")


def refuse_store(session: Session, out: str) -> None:
    """Raises RefusedError where the file to be written is the store itself."""
    path = session.find_store()
    if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
        raise RefusedError(f"{out} is the store itself; give another file", path=out)


@command(
    "doctor",
    """
    $ remem doctor
    finding  pending    12 links wait for their target; `remem pending` lists them
    finding  broken     [[Winter timetable 2027]] in architecture/timetable.md leads nowhere; perhaps …
    finding  ambiguous  [[Open questions]] in meetings/2026-09-07-looking-back.md could mean several nodes; …
    … checks: no invariant is broken, 6 findings
    """,
)
@click.option("--fix", is_flag=True, help="Rebuild what follows from the nodes, and check again.")
@json_option
@pass_session
def doctor_command(session: Session, fix: bool, as_json: bool) -> int:
    """Check every invariant of the store; exit with 1 where one is broken.

    Findings (links that wait, lead nowhere, are ambiguous or use an earlier name) are no faults.
    """
    report = session.run(lambda remem: remem.doctor(fix=fix))
    if as_json:
        print_json(wire.show_doctor(report))
    else:
        print_lines(list_findings(report))
    say(tell_health(report, fix))
    return wire.DONE if report.healthy else wire.FAILED


def list_findings(report: DoctorReport) -> Iterator[str]:
    """One line for each fault and finding: which, the check, what is the case, the node."""
    for finding in sorted(report.findings, key=lambda finding: not finding.fault):
        sort = paint("fault  ", "bad") if finding.fault else "finding"
        gap = " " if finding.message.endswith(" in") else "  "
        node = f"{gap}{paint(finding.node_id, 'id')}" if finding.node_id else ""
        yield f"{sort}  {finding.check.ljust(9)}  {clean_label(finding.message)}{node}"


def tell_health(report: DoctorReport, fix: bool) -> str:
    """The verdict on a store."""
    faults = sum(finding.fault for finding in report.findings)
    findings = count(len(report.findings) - faults, "finding")
    fixed = f"{count(report.fixed, 'fault')} repaired; " if fix else ""
    verdict = f"{count(faults, 'fault')}" if faults else "no invariant is broken"
    remedy = "; `remem doctor --fix` rebuilds what it can" if faults and not fix else ""
    return f"{fixed}{count(report.checks, 'check')}: {verdict}, {findings}{remedy}"
