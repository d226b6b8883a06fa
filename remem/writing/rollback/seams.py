"""Seams: the gaps of nodes that follow others than they did, made fit for the text to be read again. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from remem.ingest.render import DEFAULT_GAP
from remem.ingest.splice import find_prefix, widen_gap
from remem.writing.rollback.drafts import Wanted


def list_followed(keys: Iterable[int]) -> dict[int, int]:
    """What each node (keys in order) follows, but for the first."""
    before, *others = keys
    followed = {}
    for key in others:
        followed[key] = before
        before = key
    return followed


def mend_seams(nodes: Sequence[Wanted], followed: Mapping[int, int]) -> list[Wanted]:
    """The nodes with a blank line where one follows another node than it did when its gap was written."""
    mended = list(nodes)
    for index in range(1, len(nodes)):
        node, before = nodes[index], nodes[index - 1]
        if followed.get(node.key) != before.key:
            mended[index] = node._replace(gap=_open_gap(node.gap, is_first=index == 1))
    return mended


def _open_gap(written: str | None, *, is_first: bool) -> str | None:
    gap = DEFAULT_GAP if written is None else written
    if is_first:
        return gap.lstrip("\n")
    if gap.strip() and "\n" not in gap:  # the mark of a container on the line of what it opened with
        prefix = find_prefix(gap, ())
        gap = f"\n{prefix.rstrip()}\n{prefix}"
    gap = widen_gap(gap)
    return None if gap == DEFAULT_GAP else gap
