"""The bounds of what calls take, and the words that they choose from: the engine checks them, the faces declare them.
What a face bounds on its own stands there."""

from __future__ import annotations

from typing import get_args

from remem.records.vocabulary import Direction, Rank, Scope

# --- pages ------------------------------------------------------------------------------------------------------------

MIN_BUDGET = 60
"""Tokens. Below it there would be no room for a line and the cursor."""
LARGEST_BUDGET = 1_000_000_000
LONGEST_CURSOR = 1000
"""Characters. A budget makes them shorter."""

# --- the tree and the graph -------------------------------------------------------------------------------------------

LONGEST_ROOT = 200
"""Characters of the name of a root."""
LONGEST_REFERENCE = 1000
"""An id or a label that a call gives to name a node."""
DEEPEST_TREE = 1000
DEEPEST_WALK = 5
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
SCOPES: tuple[Scope, ...] = get_args(Scope)
RANKS: tuple[Rank, ...] = get_args(Rank)
MOST_CONNECTIONS = 500
"""On a page."""
LARGEST_OFFSET = 1_000_000_000
MOST_STATIONS = 10_000
"""Of a neighbourhood or an overview."""
MOST_PLACED = 20_000
FARTHEST = 1e9
"""The greatest coordinate in a picture."""

# --- search -----------------------------------------------------------------------------------------------------------

SEARCH_MODES = ("hybrid", "keyword", "semantic")
DEFAULT_SPREAD = 0.8
"""The share of the graph in a score."""
MOST_HITS = 200
"""On a page."""
LARGEST_SEARCH_OFFSET = 1_000_000
MOST_FILTERS = 200
MOST_RECALLED = 100_000
"""Tokens of a context."""

# --- memories ---------------------------------------------------------------------------------------------------------

UPDATE_FIELDS = ("content", "memory_type", "importance", "tags", "source", "metadata", "ttl")
"""What can be changed of one."""
LONGEST_CONTENT = 100_000
LONGEST_ID = 64
MOST_TAGS = 50
LONGEST_TAG = 200
LONGEST_SOURCE = 1000
LONGEST_TTL = 315_576_000
"""Seconds: ten years."""
MOST_STORED = 1000
"""In one call; as many are read in one."""
MOST_MEMORIES = 200
"""On a page."""

# --- versions ---------------------------------------------------------------------------------------------------------

MOST_SNAPSHOTS = 500
"""On a page."""
