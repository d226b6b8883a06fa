"""Lists the nodes that are cold: large ones that nobody has used for long. It changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.ingest.labels import find_label
from remem.records import START_TEMPERATURE, ColdDigest, ColdNode, Heat, UsageRow
from remem.storage import outline
from remem.storage import usage as usage_rows
from remem.usage.temperature import Thermometer, find_cold_instant

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.storage.outline import ShownNode


def list_cold(
    connection: Connection, thermometer: Thermometer, now: int, half_life: float, min_tokens: int = 400,
    below: float = 0.1,
) -> list[ColdNode]:  # fmt: skip
    """Documents, headings and memories of at least `min_tokens` tokens (with all below them) whose temperature is below
    `below`, coldest first, then largest, then by id. Pinned ones are never cold.

    A title heading is one with its document: the warmer of the two counts, and the document is listed.
    Reads every node once that is old enough to be cold; then the sections that are.
    """
    candidates = usage_rows.load_candidates(connection, find_cold_instant(below, now, half_life))
    heats = dict(thermometer(connection, [row.key for row in candidates]))
    for row in candidates:
        if row.document is not None:
            heat = heats.pop(row.key, Heat())
            heats[row.document] = max(heat, heats.get(row.document, Heat()), key=_rank_heat)
    cold = {key: heat for key, heat in heats.items() if heat.temperature < below and not heat.pinned}
    tokens = usage_rows.load_section_tokens(connection, cold)
    large = [key for key in cold if tokens[key] >= min_tokens]
    shown = outline.load_shown(connection, large)
    rows = usage_rows.load_usage(connection, large, START_TEMPERATURE, 0)
    found = [_tell_cold(shown[key], tokens[key], cold[key], rows[key]) for key in large]
    return sorted(found, key=lambda node: (node.temperature, -node.tokens, node.id))


def digest_cold(connection: Connection, thermometer: Thermometer, now: int, half_life: float, most: int) -> ColdDigest:
    """The cold nodes in short, with at most so many of them."""
    found = list_cold(connection, thermometer, now, half_life)
    return ColdDigest(len(found), tuple(found[:most]))


def _rank_heat(heat: Heat) -> tuple[bool, float]:
    return heat.pinned, heat.temperature


def _tell_cold(node: ShownNode, tokens: int, heat: Heat, row: UsageRow) -> ColdNode:
    label = find_label(node.label, node.kind, node.opening)
    return ColdNode(node.id, node.kind, label, node.root, node.source, tokens, heat.temperature, row.accessed_at)
