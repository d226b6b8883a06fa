"""The words of the store: kinds, types, origins, the bounds of weights."""

from __future__ import annotations

from typing import Literal, TypeAlias

KINDS = ("document", "heading", "text", "list", "table", "code", "kv", "quote", "html", "embed", "memory", "entity")
# The position in these tuples is the code in the store (tables relationship_types and origins).
RELATIONSHIP_TYPES = (
    "related_to",
    "caused_by",
    "part_of",
    "references",
    "contradicts",
    "supports",
    "similar_to",
    "derived_from",
)
ORIGINS = ("manual", "parsed", "discovered", "mentioned")
MANUAL, PARSED, DISCOVERED, MENTIONED = range(len(ORIGINS))
"""The codes of the origins."""

DISCOVERED_TYPE = "related_to"
"""The relationship type of the edges that discovery makes."""

DEFAULT_IMPORTANCE = 0.5
"""The importance (0 to 1) of a memory that is told none, and of a note."""

MAX_WEIGHT = 1_000_000.0
MICRO = 1_000_000
"""Weights are stored as integers in millionths."""

Direction: TypeAlias = Literal["out", "in", "both"]
Scope: TypeAlias = Literal["section", "document", "node"]
Rank: TypeAlias = Literal["sum", "strength"]
