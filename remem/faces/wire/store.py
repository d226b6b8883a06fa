"""What is told of the store as a whole, as JSON shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from remem.faces.wire.values import FATES, Json, pick_fields, show_time

if TYPE_CHECKING:
    from remem.records import (
        ColdDigest,
        ColdNode,
        CompileReport,
        Diagnostic,
        DoctorReport,
        DropReport,
        GraphFigures,
        Root,
        Stats,
        TaskState,
        WatchState,
    )

_root_fields = pick_fields("name", "path", "documents")
_compile_fields = pick_fields(
    *("root", "dry_run", "files", "files_added", "files_changed", "files_removed", "files_unchanged"),
    *FATES,
    *("links", "pending", "ambiguous", "snapshot"),
)
_drop_fields = pick_fields("root", "documents", "nodes", "snapshot")
_size_fields = pick_fields("path", "bytes", "schema_version", "roots", "documents", "nodes", "tokens")
_count_fields = pick_fields(
    *("pending", "ambiguous", "stale", "tags", "diagnostics", "snapshots", "vectors"),
    *("passages", "pinned", "archived", "embedded", "owed", "embedder"),
    *("owed_embed", "owed_discover", "owed_mentions", "waiting", "worker", "problem", "near_duplicates"),
)
_cold_fields = pick_fields("id", "kind", "label", "root", "source", "tokens", "temperature")
_doctor_fields = pick_fields("healthy", "checks", "fixed")
_task_fields = pick_fields("name", "paused", "active", "owed", "every", "outcome", "problem")
_watch_fields = pick_fields("root", "path", "state", "native", "pending", "compiles", "snapshot", "problem")
_finding_fields = pick_fields("check", "fault", "message", "node_id")


def show_roots(roots: Sequence[Root]) -> Json:
    """`{roots}`: name, where it lies, documents, when it was compiled last."""
    return {"roots": [{**_root_fields(root), "compiled_at": show_time(root.compiled_at)} for root in roots]}


def show_diagnostic(found: Diagnostic) -> Json:
    """One problem of one file; `line` is null where none applies."""
    return {"source": found.source, "line": found.line or None, "code": found.code, "message": found.message}


def show_compile(report: CompileReport) -> Json:
    """What a compile did: files by fate, nodes by change, links by state, all diagnostics of the root."""
    return {
        **_compile_fields(report),
        "kept": list(report.kept),
        "seconds": round(report.seconds, 6),
        "diagnostics": [show_diagnostic(found) for found in report.diagnostics],
    }


def show_drop(report: DropReport) -> Json:
    """What dropping a root removed from the store."""
    return _drop_fields(report)


def show_figures(stats: Stats, graph: GraphFigures) -> Json:
    """The figures of a store, with how its `graph` hangs together."""
    return {**show_stats(stats), "graph": asdict(graph)}


def show_stats(stats: Stats) -> Json:
    """The figures of a store without those of its graph."""
    return {
        **_size_fields(stats),
        "kinds": [{"kind": kind, "nodes": nodes, "tokens": tokens} for kind, nodes, tokens in stats.kinds],
        "edges": [{"relationship_type": type, "origin": origin, "edges": count} for type, origin, count in stats.edges],
        "links": dict(stats.links),
        **_count_fields(stats),
        "cold": show_cold(stats.cold),
    }


def show_cold(digest: ColdDigest) -> Json:
    """`{total, nodes}`: how many nodes are cold, and the first of them; `accessed_at` is null where one was never
    read."""
    return {"total": digest.total, "nodes": [_show_cold_node(node) for node in digest.nodes]}


def _show_cold_node(node: ColdNode) -> Json:
    read_at = None if node.accessed_at is None else show_time(node.accessed_at)
    return {**_cold_fields(node), "accessed_at": read_at}


def show_tasks(tasks: Sequence[TaskState]) -> Json:
    """`{tasks}`: the kinds of background work."""
    return {"tasks": [show_task(task) for task in tasks]}


def show_task(task: TaskState) -> Json:
    """One kind of background work; `ran_at` is null where no call ever had it run."""
    return {**_task_fields(task), "ran_at": None if task.ran_at is None else show_time(task.ran_at)}


def show_watch(watch: WatchState) -> Json:
    """How one folder is watched; `compiled_at` and `seen_at` are null before the first time."""
    times = {"compiled_at": watch.compiled_at, "seen_at": watch.seen_at}
    return {**_watch_fields(watch), **{name: None if at is None else show_time(at) for name, at in times.items()}}


def show_doctor(report: DoctorReport) -> Json:
    """`{healthy, checks, fixed, findings}`; `healthy` is false where an invariant is broken."""
    return {**_doctor_fields(report), "findings": [_finding_fields(finding) for finding in report.findings]}
