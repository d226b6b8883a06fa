"""Groups of things that pairs join (union-find). Pure; it knows nothing of the things but their numbers."""

from __future__ import annotations

from collections.abc import Iterable


def join_pairs(pairs: Iterable[tuple[int, int, float]]) -> list[tuple[list[int], float]]:
    """The groups that (a, b, number) pairs join, each in ascending order with the least of the numbers of its pairs;
    groups by their first member. Near linear."""
    leader: dict[int, int] = {}

    def find(at: int) -> int:
        while leader.setdefault(at, at) != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    listed = list(pairs)
    for a, b, _ in listed:
        first, second = sorted((find(a), find(b)))
        leader[second] = first
    least: dict[int, float] = {}
    for a, _, number in listed:
        least[find(a)] = min(number, least.get(find(a), number))
    groups: dict[int, list[int]] = {}
    for member in sorted(leader):
        groups.setdefault(find(member), []).append(member)
    return [(group, least[first]) for first, group in groups.items()]
