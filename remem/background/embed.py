"""Embedding of stored texts: what is owed in `jobs` gets its vectors, some texts at a time. A step loads, embeds beside
the event loop, and writes what still stands as it was. It decides nothing about when."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from remem.embedding.chunks import split_chunks
from remem.embedding.keeper import EmbedderKeeper
from remem.ids import text_hash
from remem.records import Fixed, Job, PassageRow, Refusal
from remem.search.phrases import list_phrases
from remem.storage import embedded, vectors
from remem.storage import jobs as job_rows
from remem.storage import passages as passage_rows
from remem.storage.memories import keep_memories
from remem.storage.pool import Store

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.embedding.base import Vector

MOST_DOCUMENTS = 64
MOST_TEXTS = 32
"""Chunks that are embedded in one step, at least one passage."""
FIRST_PAUSE = 30_000
"""Milliseconds until a text that got no vector is tried again, doubled with each attempt."""

_MARKS = re.compile(r"\s*#{1,6}[ \t]+")


class Pending(NamedTuple):
    """A passage without its vectors: its row, its chunks with their hashes, its phrases."""

    row: PassageRow
    chunks: tuple[tuple[bytes, str], ...]
    phrases: Mapping[int, bool]


@dataclass(frozen=True, slots=True)
class Batch:
    """One step's work for the embedder `fixed`: the jobs whose passages are all in it or embedded, those that go on in
    the next step, the passages, and the vectors that are known already, by hash."""

    fixed: Fixed | None
    done: tuple[Job, ...]
    begun: tuple[Job, ...]
    passages: tuple[Pending, ...]
    known: Mapping[bytes, Vector]

    @property
    def texts(self) -> dict[bytes, str]:
        """What is to be embedded, by hash."""
        return {
            hash: text for passage in self.passages for hash, text in passage.chunks if hash not in self.known
        }  # fmt: skip


async def embed_some(store: Store, keeper: EmbedderKeeper, now: int, scope: str) -> bool:
    """Does one step; false where nothing is due. Raises EmbedderError where the model as a whole fails: the work is
    put off then."""
    batch = await store.read(load_batch, now)
    if not batch.done and not batch.begun:
        return False
    texts = batch.texts
    try:
        made = await keeper.embed_passages(list(texts.values())) if texts else []
    except Exception:
        await store.write(put_off, [*batch.done, *batch.begun], now)
        raise
    if await keeper.fix() != batch.fixed:  # replaced meanwhile: vectors of two embedders never meet
        return True
    found: dict[bytes, Vector | Refusal] = {**batch.known, **dict(zip(texts, made, strict=True))}
    await store.write(save_batch, batch, found, now, scope)
    return True


def load_batch(connection: Connection, now: int) -> Batch:
    """The next work that is due."""
    jobs = job_rows.load_due(connection, job_rows.EMBED, now, MOST_DOCUMENTS)
    rows: dict[int, list[PassageRow]] = {}
    for row in passage_rows.load_passages(connection, [job.node for job in jobs]):
        rows.setdefault(row.document, []).append(row)
    done, begun, passages, count = list[Job](), list[Job](), list[Pending](), 0
    for job in jobs:
        if count >= MOST_TEXTS:
            break
        wanted = _list_stale(connection, rows.get(job.node, ()), MOST_TEXTS - count)
        count += sum(len(passage.chunks) for passage in wanted.passages)
        passages += wanted.passages
        (done if wanted.whole else begun).append(job)
    hashes = {hash for passage in passages for hash, _ in passage.chunks}
    known, fixed = vectors.find_known(connection, hashes), embedded.find_fixed(connection)
    return Batch(fixed, tuple(done), tuple(begun), tuple(passages), known)


class _Stale(NamedTuple):
    passages: list[Pending]
    whole: bool


def _list_stale(connection: Connection, rows: Sequence[PassageRow], room: int) -> _Stale:
    """Passages of a document whose vectors are not those of their text, of at most about `room` chunks, and whether
    these are all. Those without any come first, so that of a long document each step reads what it embeds alone."""
    stale: list[Pending] = []
    begun = embedded.find_embedded(connection, [row.key for row in rows])
    rows = sorted(rows, key=lambda row: row.key in begun)
    for start in range(0, len(rows), MOST_DOCUMENTS):
        part = rows[start : start + MOST_DOCUMENTS]
        texts = load_texts(connection, part)
        stored: dict[int, list[bytes]] = {}
        for chunk in embedded.load_chunks(connection, [row.key for row in part]):
            stored.setdefault(chunk.passage, []).append(chunk.hash)
        for row in part:
            chunks = tuple((text_hash(text), text) for text in split_chunks(texts[row.key]))
            if [hash for hash, _ in chunks] == stored.get(row.key, []):
                continue
            if room <= 0:
                return _Stale(stale, False)
            room -= len(chunks)
            stale.append(Pending(row, chunks, list_phrases(texts[row.key])))
    return _Stale(stale, True)


def load_texts(connection: Connection, rows: Sequence[PassageRow]) -> dict[int, str]:
    """The texts of passages as they are embedded, by key: below its headings what a passage says, markup and all; of a
    memory its content."""
    blocks = passage_rows.load_blocks(connection, [row.key for row in rows])
    crumbs = passage_rows.load_breadcrumbs(connection, {row.section for row in rows})
    places = passage_rows.load_places(connection, [row.key for row in rows])
    texts = {}
    for row in rows:
        place = places.get(row.key)
        if place is None or place.kind == "memory":
            texts[row.key] = "\n\n".join(_MARKS.sub("", block.content, 1) for block in blocks.get(row.key, ()))
            continue
        heads = [*(label for _, label in crumbs.get(row.section, ())), place.label or ""]
        content = "\n\n".join(block.content for block in blocks.get(row.key, ()) if not block.is_title)
        # What has headings only says what they say.
        texts[row.key] = "\n".join([" › ".join(filter(None, heads)), content]).strip()
    return texts


# --- writing ----------------------------------------------------------------------------------------------------------


def save_batch(
    connection: Connection, batch: Batch, found: Mapping[bytes, Vector | Refusal], now: int, scope: str
) -> None:
    """Stores the vectors of what still stands as it was read; strikes off what is done, owes the discovery of it, and
    puts off what was refused for now. Does nothing where the store's embedder was replaced meanwhile."""
    if embedded.find_fixed(connection) != batch.fixed:
        return
    documents = {passage.row.document for passage in batch.passages}
    standing = {row.key: row for row in passage_rows.load_passages(connection, documents)}
    kept = [passage for passage in batch.passages if standing.get(passage.row.key) == passage.row]
    refused = {passage.row.document for passage in kept if _is_refused(passage, found, retry=True)}
    embedded.free_passages(connection, [passage.row.key for passage in kept])
    vectors.save_chunks(connection, [chunk for passage in kept for chunk in _make_chunks(passage, found)])
    phrases = [(hash, passage.row.key, single) for passage in kept for hash, single in passage.phrases.items()]
    embedded.replace_phrases(connection, [passage.row.key for passage in kept], phrases)
    _owe_discovery(connection, kept, scope)
    job_rows.finish_jobs(connection, [job for job in batch.done if job.node not in refused])
    put_off(connection, [job for job in (*batch.done, *batch.begun) if job.node in refused], now)


def _is_refused(passage: Pending, found: Mapping[bytes, Vector | Refusal], *, retry: bool) -> bool:
    results = [found.get(hash) for hash, _ in passage.chunks]
    return any(isinstance(result, Refusal) and result.retry is retry for result in results)


def _make_chunks(passage: Pending, found: Mapping[bytes, Vector | Refusal]) -> list[vectors.NewChunk]:
    """All chunks of a passage or none; one that the model can make nothing of is left out."""
    if _is_refused(passage, found, retry=True):
        return []
    made = [(number, hash, found[hash]) for number, (hash, _) in enumerate(passage.chunks)]
    return [
        vectors.NewChunk(passage.row.key, number, hash, vector)
        for number, hash, vector in made
        if not isinstance(vector, Refusal)
    ]


def _owe_discovery(connection: Connection, kept: Sequence[Pending], scope: str) -> None:
    sections = {passage.row.section for passage in kept}
    if scope != "all":
        sections &= {passage.row.document for passage in kept}
        sections &= keep_memories(connection, sections)
    job_rows.queue_jobs(connection, job_rows.DISCOVER, sections)


def put_off(connection: Connection, jobs: Sequence[Job], now: int) -> None:
    """Has jobs tried again later, each time after twice the pause."""
    pauses = [(job, now + min(job_rows.LONGEST_PAUSE, FIRST_PAUSE << min(job.attempts, 10))) for job in jobs]
    job_rows.postpone_jobs(connection, pauses)
