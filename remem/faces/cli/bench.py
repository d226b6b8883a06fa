"""The command `bench`: what an agent spends on a folder of notes with Remem and without it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remem.errors import NotFoundError
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.output import clean_label, count, print_json, print_lines, print_table, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.records import Bench, MeasuredTask

HEADERS = ("task", "way", "tokens", "× Remem", "ms", "found")


@command(
    "bench",
    """
    $ remem bench gangway
    …
    orient          tree, 2000 tokens …
    …
    """,
)
@click.argument("folder", required=False)
@click.option(
    "--questions", type=click.IntRange(1, 500), default=20, show_default=True, help="So many of each kind are asked."
)
@json_option
@pass_session
def bench_command(session: Session, folder: str | None, questions: int, as_json: bool) -> None:
    """Measure tokens and time to orient, find, fetch and resync, against reading the files.

    It works on copies of the notes in FOLDER (default: of the roots that the store holds) and on a store made of them;
    neither your notes nor your store are changed.
    """
    from remem.benching.service import run_bench

    folders = list_folders(session, folder)
    bench = asyncio.run(run_bench(folders, session.config, questions, say))
    if as_json:
        return print_json(asdict(bench))
    print_lines(describe_notes(bench))
    print_table(HEADERS, [row for task in bench.tasks for row in list_ways(task)], named=True)
    print_lines(describe_method(bench))


def list_folders(session: Session, folder: str | None) -> list[tuple[str, Path]]:
    """What is measured, by the name of its root. Raises NotFoundError where there is nothing."""
    if folder is not None:
        path = Path(os.path.abspath(os.path.expanduser(folder)))
        return [(path.name or "notes", path)]
    roots = session.run(lambda remem: remem.roots())
    if not roots:
        raise NotFoundError("the store holds no notes; give a folder: `remem bench FOLDER`")
    return [(root.name, Path(root.path)) for root in roots]


def describe_notes(bench: Bench) -> Iterator[str]:
    """What was measured on."""
    size = f"{bench.bytes / 1e6:.2f} MB, {count(bench.tokens, 'token')}"
    yield f"{clean_label(', '.join(bench.folders))}: {count(bench.files, 'file')}, {size}"
    store = f"{count(bench.nodes, 'node')}, {bench.store_bytes / 1e6:.2f} MB"
    yield f"compiled in {bench.seconds:.2f} s: {store}"
    yield ""


def list_ways(task: MeasuredTask) -> Iterator[tuple[str, ...]]:
    """A row for each way to do a task, Remem's first."""
    base = task.ways[0].tokens
    for number, way in enumerate(task.ways):
        ratio = tell_ratio(way.tokens, base) if number else ""
        found = "" if way.found is None else f"{way.found:.0%}"
        tokens = f"{way.tokens:,}".replace(",", " ")
        yield "" if number else task.name, way.name, f"{tokens:>11}", f"{ratio:>7}", f"{way.ms:>9.2f}", f"{found:>5}"


def tell_ratio(tokens: int, base: int) -> str:
    """How many times the tokens of Remem that is, in two digits."""
    if not base:
        return ""
    return f"{tokens / base:.0f}" if tokens >= 10 * base else f"{tokens / base:.2g}"


def describe_method(bench: Bench) -> Iterator[str]:
    """How it was measured, and what was not."""
    yield ""
    for task in bench.tasks:
        yield f"{task.name}: {task.told} ({count(task.cases, 'case')})"
    yield from (f"left out: {told}" for told in bench.left_out)
    yield from bench.method
