"""Discovery: relates memories (and sections, where wanted) whose vectors are alike. Embeds nothing; knows no timing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from remem.embedding.memory import VectorMemory
from remem.embedding.threads import limit_blas
from remem.graph.groups import join_pairs
from remem.records import (
    DISCOVERED,
    DISCOVERED_TYPE,
    MICRO,
    RELATIONSHIP_TYPES,
    DuplicateGroup,
    EdgeRow,
    Job,
    Neighbour,
)
from remem.storage import discovery, vectors
from remem.storage import edges as edge_rows
from remem.storage import jobs as job_rows
from remem.storage.discovery import DiscoveryRefusal, SectionOf

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.embedding.base import Matrix, Vector

MOST_SECTIONS, MOST_CHUNKS = 16, 96
"""Sections that are related in one write, of at most so many chunks (at least one section)."""
ROUNDING = 1e-6
RELATED_TO = RELATIONSHIP_TYPES.index(DISCOVERED_TYPE)
"""The code of the type of discovered edges."""


class DiscoveryRules(NamedTuple):
    """`threshold` is the least cosine, `top_k` how many edges a new text gives, `most` how many discovered edges a node
    has at most (0: any number); `scope` is memories or all."""

    threshold: float = 0.7
    top_k: int = 5
    most: int = 50
    scope: str = "memories"


class Owed(NamedTuple):
    """A text that is to be related: its vectors (chunks, dimensions), for each of these the passages that were found
    near it, and what these belong to."""

    node: int
    own: Matrix
    near: list[list[Neighbour]]
    sections: Mapping[int, SectionOf]


def discover_some(connection: Connection, memory: VectorMemory, rules: DiscoveryRules, now: int) -> int:
    """Relates the next texts that owe it; how many they were."""
    jobs = job_rows.load_due(connection, job_rows.DISCOVER, now, MOST_SECTIONS)
    keys = discovery.load_vector_keys(connection, [job.node for job in jobs])
    jobs = _limit_chunks(jobs, keys)
    owing = discovery.find_owing(connection, [job.node for job in jobs])
    for job in jobs:
        if job.node not in keys and job.node not in owing:  # the model can make nothing of it: it is like nothing
            edge_rows.delete_edges(connection, [edge[:4] for edge in discovery.load_discovered(connection, job.node)])
    for owed in _search_all(connection, memory, {job.node: keys[job.node] for job in jobs if job.node in keys}, rules):
        _relate(connection, memory, owed, rules, now)
    job_rows.finish_jobs(connection, jobs)
    return len(jobs)


def _limit_chunks(jobs: Sequence[Job], keys: Mapping[int, Sequence[int]]) -> list[Job]:
    taken, chunks = list[Job](), 0
    for job in jobs:
        chunks += len(keys.get(job.node, ()))
        if taken and chunks > MOST_CHUNKS:
            break
        taken.append(job)
    return taken


def _search_all(
    connection: Connection, memory: VectorMemory, keys: Mapping[int, Sequence[int]], rules: DiscoveryRules
) -> list[Owed]:
    """What is near to the chunks of several texts: one search for all, since each by itself would read the same
    vectors."""
    own = stack_vectors(connection, keys)
    rows = np.concatenate(list(own.values())) if own else np.zeros((0, 0), np.float32)
    near = iter(memory.search_many(connection, rows, _first_look(rules)))
    found = {node: [next(near) for _ in part] for node, part in own.items()}
    sections = _load_sections(connection, [row for part in found.values() for row in part])
    return [Owed(node, own[node], part, sections) for node, part in found.items()]


def stack_vectors(connection: Connection, keys: Mapping[int, Sequence[int]]) -> dict[int, Matrix]:
    """The vectors (chunks, dimensions) of texts, by the keys of these. One that is damaged is passed over, which the
    doctor tells."""
    found, rows = vectors.load_vectors(connection, [key for own in keys.values() for key in own])
    place = {key: at for at, key in enumerate(found)}
    return {node: rows[[place[key] for key in own if key in place]] for node, own in keys.items()}


def _load_sections(connection: Connection, near: Sequence[Sequence[Neighbour]]) -> dict[int, SectionOf]:
    return discovery.load_sections(connection, {found.key for row in near for found in row})


def _first_look(rules: DiscoveryRules) -> int:
    return 8 * rules.top_k + 16


def _relate(connection: Connection, memory: VectorMemory, owed: Owed, rules: DiscoveryRules, now: int) -> None:
    node, own = owed.node, owed.own
    standing = discovery.load_discovered(connection, node)
    kept = _rescore(connection, node, own, standing, rules.threshold, now)
    near = _find_near(connection, memory, owed, rules)
    joined = {edge.source + edge.target - node for edge in kept}
    refused = _find_refused(connection, node)
    wanted = [(other, alike) for other, alike in near.items() if other not in joined and other not in refused]
    room = rules.top_k - sum(edge.source == node for edge in kept)
    if rules.most:
        room = min(room, rules.most - len(kept))
        degrees = discovery.count_discovered(connection, [other for other, _ in wanted])
        wanted = [(other, alike) for other, alike in wanted if degrees[other] < rules.most]
    made = _compare(connection, own, [other for other, _ in wanted[: max(0, room)]])
    edges = [_make_edge(node, other, alike, now) for other, alike in made.items() if alike >= rules.threshold]
    edge_rows.save_edges(connection, edges)


def _compare(connection: Connection, own: Matrix, others: Sequence[int]) -> dict[int, float]:
    """The exact similarities to other texts: vectors in memory are rounded."""
    keys = discovery.load_vector_keys(connection, others)
    return {other: compare_texts(own, rows) for other, rows in stack_vectors(connection, keys).items()}


def _rescore(
    connection: Connection, node: int, own: Matrix, standing: Sequence[EdgeRow], threshold: float, now: int
) -> list[EdgeRow]:
    """Gives the discovered edges at a node the similarity that holds now; those below the threshold go."""
    ends = {edge.source + edge.target - node for edge in standing}
    others, owing = _compare(connection, own, list(ends)), discovery.find_owing(connection, ends)
    kept, gone = [], []
    for edge in standing:
        other = edge.source + edge.target - node
        if other in owing:  # it is compared when it has its vector again
            kept.append(edge)
            continue
        alike = others.get(other, 0.0)
        if alike < threshold:
            gone.append(edge[:4])
            continue
        weight = weigh(alike)
        kept.append(edge if edge.weight == weight else edge._replace(weight=weight, updated_at=now))
    edge_rows.delete_edges(connection, gone)
    edge_rows.save_edges(connection, [edge for edge in kept if edge not in standing])
    return kept


def _find_refused(connection: Connection, node: int) -> set[int]:
    """The nodes whose discovered edge with this one a call removed, where both texts are as they were. A refusal that
    is void is forgotten; one whose other text is gone waits, since that may come back."""
    refusals = discovery.load_refusals(connection, node)
    if not refusals:
        return set()
    hashes = discovery.hash_texts(connection, list({key for refusal in refusals for key in refusal[:2]}))
    held, void, renewed = set[int](), list[DiscoveryRefusal](), list[DiscoveryRefusal]()
    for refusal in refusals:
        source, target = hashes.get(refusal.source), hashes.get(refusal.target)
        if source is None or target is None:
            continue
        current = refusal._replace(source_text=source, target_text=target)
        if refusal.source_text is None:  # written before texts were remembered
            renewed.append(current)
        elif current != refusal:
            void.append(refusal)
            continue
        held.add(refusal.source + refusal.target - node)
    discovery.save_refusals(connection, renewed)
    discovery.delete_refusals(connection, void)
    return held


def compare_texts(a: Matrix, b: Matrix) -> float:
    """The cosine of the two chunks that are most alike; -1 where one has none."""
    if not a.size or not b.size:
        return -1.0
    with limit_blas():
        return float((a @ b.T).max(initial=-1.0))


def _find_near(connection: Connection, memory: VectorMemory, owed: Owed, rules: DiscoveryRules) -> dict[int, float]:
    """Other texts that are similar enough, best first; enough of them for `top_k` whatever else is near."""
    k, near, sections = _first_look(rules), owed.near, owed.sections
    while True:
        best: dict[int, float] = {}
        for found in (found for row in near for found in row):
            place = sections.get(found.key)
            if place is None or place.section == owed.node or found.similarity < rules.threshold:
                continue
            if place.is_memory or rules.scope == "all":
                best[place.section] = max(best.get(place.section, -1.0), found.similarity)
        exhausted = all(len(row) < k or row[-1].similarity < rules.threshold for row in near)
        if exhausted or len(best) > rules.top_k + rules.most or k > 4000:
            return dict(sorted(best.items(), key=lambda item: (-item[1], item[0])))
        k *= 4
        near = memory.search_many(connection, owed.own, k)
        sections = _load_sections(connection, near)


def _make_edge(source: int, target: int, alike: float, now: int) -> EdgeRow:
    return EdgeRow(source, target, RELATED_TO, DISCOVERED, weigh(alike), 1, 0, now, now)


def weigh(alike: float) -> int:
    """A similarity as the weight of an edge, in millionths."""
    return round(min(1.0, alike) * MICRO)


# --- near-duplicates --------------------------------------------------------------------------------------------------


def find_duplicates(connection: Connection, threshold: float) -> list[DuplicateGroup]:
    """Groups of living memories that say nearly the same. O(n^2) in the embedded memories."""
    rows = discovery.list_memory_keys(connection)
    if not rows:
        return []
    ids = {node: id for node, id, _ in rows}
    keys, matrix = vectors.load_vectors(connection, [key for *_, key in rows])
    by_key = dict(zip(keys, matrix, strict=True))
    chunks: dict[int, list[Vector]] = {}
    for node, _, key in rows:
        if key in by_key:  # else it is damaged, which the doctor tells
            chunks.setdefault(node, []).append(by_key[key])
    groups = group_duplicates({node: np.stack(parts) for node, parts in chunks.items()}, threshold)
    return [DuplicateGroup(tuple(ids[node] for node in group), round(least, 6)) for group, least in groups]


def group_duplicates(
    vectors_of: Mapping[int, Matrix], threshold: float, block: int = 512
) -> list[tuple[list[int], float]]:
    """Groups of texts that pairs of at least the threshold's cosine join, with the least of these cosines; of several
    chunks the mean counts. Texts keep their order. Time O(n^2) products in blocks."""
    nodes = list(vectors_of)
    if not nodes:
        return []
    means = np.stack([rows.mean(axis=0) for rows in vectors_of.values()])
    means /= np.linalg.norm(means, axis=1, keepdims=True).clip(1e-12)
    pairs: list[tuple[int, int, float]] = []
    with limit_blas():
        for start in range(0, len(nodes), block):
            alike = means[start : start + block] @ means[start:].T
            rows, columns = np.nonzero(np.triu(alike >= threshold - ROUNDING, 1))
            pairs += zip(
                (rows + start).tolist(), (columns + start).tolist(), alike[rows, columns].tolist(), strict=True
            )
    return [([nodes[at] for at in group], least) for group, least in join_pairs(pairs)]
