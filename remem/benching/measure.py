"""Measures the tasks on an open store of copied notes, each way beside the others in the same run. Prints nothing; the
store and the copies belong to the caller, who throws them away."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from remem.benching import files
from remem.benching.notes import Note, choose_growing, grow_note
from remem.benching.questions import Question, pick_headings, pick_passages
from remem.ingest.tokens import count_tokens
from remem.limits import DEEPEST_TREE
from remem.records import MeasuredTask, SearchHit, Way

if TYPE_CHECKING:
    from remem.engine import Remem

ORIENT_BUDGET = 2000
SEARCH_BUDGET = 1000
REPEATS = 5
RESYNCS = 3

Text: TypeAlias = str
Reader: TypeAlias = Callable[[], Text]
T = TypeVar("T")


class Tally:
    """Collects what the cases of a task take, way by way."""

    def __init__(self) -> None:
        self._taken: dict[str, list[tuple[int, float, bool | None]]] = {}

    def add(self, way: str, text: Text, seconds: float, found: bool | None = None) -> None:
        """One case: the text that was read, how long it took, whether it held what was looked for."""
        self._taken.setdefault(way, []).append((count_tokens(text), seconds * 1000, found))

    def read(self, way: str, read: Reader, found: bool | None = None) -> None:
        """One case of a way that reads files."""
        started = time.perf_counter()
        text = read()
        self.add(way, text, time.perf_counter() - started, found)

    def finish(self, name: str, told: str) -> MeasuredTask:
        """The task with medians and 90th percentiles."""
        ways = tuple(_sum_up(way, taken) for way, taken in self._taken.items())
        return MeasuredTask(name, told, max(map(len, self._taken.values()), default=0), ways)


def _sum_up(way: str, taken: Sequence[tuple[int, float, bool | None]]) -> Way:
    tokens, times = [one[0] for one in taken], [one[1] for one in taken]
    judged = [one[2] for one in taken if one[2] is not None]
    found = sum(judged) / len(judged) if judged else None
    return Way(way, round(median(tokens)), round(_rank(tokens)), round(median(times), 2), round(_rank(times), 2), found)


def _rank(numbers: Sequence[float]) -> float:
    """The 90th percentile: the smallest value that nine tenths do not exceed."""
    return sorted(numbers)[-(-len(numbers) * 9 // 10) - 1]


async def measure_tasks(
    remem: Remem, notes: Sequence[Note], folders: Sequence[tuple[str, Path]], questions: int
) -> tuple[list[MeasuredTask], list[str]]:
    """All tasks, and what was left out and why. `folders` are the roots by name with the copies that were compiled."""
    lines = await remem.tree(depth=DEEPEST_TREE, blocks=False)
    headings = pick_headings(lines, questions)
    passages = pick_passages(notes, questions)
    tasks = [await measure_orient(remem, notes), await measure_outline(remem, notes)]
    left_out = []
    for name, asked, told, lacking in (
        ("find a heading", headings, "a heading, as it is written", "no heading has two words"),
        ("find a passage", passages, "the three rarest words of a paragraph", "no paragraph has twelve words"),
    ):
        if asked:
            tasks.append(await measure_find(remem, notes, asked, name, f"from {told} to the text that holds it"))
        else:
            left_out.append(f"{name}: {lacking} of its own")
    if headings:
        tasks.append(await measure_fetch(remem, notes, headings))
    growing = choose_growing(notes)
    if growing:
        tasks.append(await measure_resync(remem, notes, folders, growing))
    else:
        left_out.append("resync: no note is Markdown or plain text")
    return tasks, left_out


async def measure_orient(remem: Remem, notes: Sequence[Note]) -> MeasuredTask:
    """What is there at all."""
    tally = Tally()
    for number in range(REPEATS + 1):
        shown, seconds = await _time(lambda: remem.tree(budget=ORIENT_BUDGET))
        if number:  # the first call loads what later ones have
            tally.add(f"tree, {ORIENT_BUDGET} tokens", shown.text, seconds)
            tally.read(f"names and first {files.HEAD_LINES} lines", lambda: files.list_heads(notes))
            tally.read("all files whole", lambda: files.read_notes(notes))
    return tally.finish("orient", "what the folder holds")


async def measure_outline(remem: Remem, notes: Sequence[Note]) -> MeasuredTask:
    """Every document and heading."""
    tally = Tally()
    for _ in range(REPEATS):
        shown, seconds = await _time(lambda: remem.tree(depth=DEEPEST_TREE, blocks=False))
        tally.add("tree without blocks", shown.text, seconds)
        tally.read("names and grep '^#'", lambda: files.list_headings(notes))
        tally.read("all files whole", lambda: files.read_notes(notes))
    return tally.finish("outline", "every document and heading")


async def measure_find(
    remem: Remem, notes: Sequence[Note], asked: Sequence[Question], name: str, told: str
) -> MeasuredTask:
    """From words to the text that holds them. What search does not find is then looked for in the files."""
    tally = Tally()
    await remem.search(asked[0].query, touch=False)  # the first call loads what later ones have
    for number, question in enumerate(asked):
        text, seconds, found = await _find(remem, notes, question)
        tally.add("search, then show", text, seconds, found)
        tally.read(f"grep with {files.CONTEXT_LINES} lines around", lambda q=question: files.show_lines(notes, q.words))  # type: ignore[misc]
        tally.read("files that grep names", lambda q=question: files.read_notes(files.find_notes(notes, q.words)))  # type: ignore[misc]
        if number < REPEATS:  # the same for every question
            tally.read("all files whole", lambda: files.read_notes(notes))
    return tally.finish(name, told)


async def _find(remem: Remem, notes: Sequence[Note], question: Question) -> tuple[Text, float, bool]:
    """The page of hits and the text of the first hit that answers; with none, the files that grep names."""
    page, seconds = await _time(lambda: remem.search(question.query, budget=SEARCH_BUDGET, touch=False))
    right = [hit for hit in page if hit.id == question.node] or [hit for hit in page if _holds(hit, question)]
    if right:
        shown, more = await _time(lambda: remem.show(right[0].id, touch=False))
        return f"{page.text}\n{shown.text}", seconds + more, True
    started = time.perf_counter()
    text = files.read_notes(files.find_notes(notes, question.words))
    return f"{page.text}\n{text}", seconds + time.perf_counter() - started, False


def _holds(hit: SearchHit, question: Question) -> bool:
    """Whether the hit is in the right note and, where a section is meant, is the whole of the note."""
    is_there = (hit.root, hit.source) == (question.root, question.source)
    return is_there and (not question.node or hit.kind == "document")


async def measure_fetch(remem: Remem, notes: Sequence[Note], asked: Sequence[Question]) -> MeasuredTask:
    """One section whose place is known."""
    tally = Tally()
    paths = {(note.root, note.source): note.path for note in notes}
    for question in asked:
        shown, seconds = await _time(lambda q=question: remem.show(q.node, touch=False))  # type: ignore[misc]
        tally.add("show", shown.text, seconds)
        path = paths[question.root, question.source]
        tally.read("its file whole", lambda p=path: files.read_note(p))  # type: ignore[misc]
    return tally.finish("fetch", "one section whose place is known")


async def measure_resync(
    remem: Remem, notes: Sequence[Note], folders: Sequence[tuple[str, Path]], growing: Sequence[Note]
) -> MeasuredTask:
    """What is new since one looked last, after some files have each gained a paragraph."""
    tally = Tally()
    for number in range(RESYNCS):
        for note in growing:
            grow_note(note, number)
        text, seconds = await _resync(remem, folders)
        tally.add("compile, then delta", text, seconds)
        tally.read("changed files whole", lambda: files.read_notes(growing))
        tally.read("all files whole", lambda: files.read_notes(notes))
    changed = "one file has" if len(growing) == 1 else f"{len(growing)} files have each"
    return tally.finish("resync", f"what is new after {changed} gained a paragraph")


async def _resync(remem: Remem, folders: Sequence[tuple[str, Path]]) -> tuple[Text, float]:
    since = (await remem.snapshots(limit=1))[0].id
    started = time.perf_counter()
    for root, place in folders:
        await remem.compile(place, root)
    delta = await remem.delta(since)
    return delta.text, time.perf_counter() - started


async def _time(call: Callable[[], Awaitable[T]]) -> tuple[T, float]:
    started = time.perf_counter()
    result = await call()
    return result, time.perf_counter() - started
