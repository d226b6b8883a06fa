"""Parameters that several operations share."""

from __future__ import annotations

from remem.faces.rest.fields import Field
from remem.limits import (
    LARGEST_BUDGET,
    LONGEST_CURSOR,
    LONGEST_SOURCE,
    LONGEST_TAG,
    MIN_BUDGET,
    MOST_FILTERS,
    MOST_TAGS,
)
from remem.records import KINDS, MEMORY_TYPES, ORIGINS, RELATIONSHIP_TYPES

CURSOR = Field("cursor", "text", "where to go on: `cursor` or `next_cursor` of the page before", longest=LONGEST_CURSOR)
BUDGET = Field(
    "budget", "integer", "the answer's text has at most so many tokens (cl100k)", least=MIN_BUDGET, most=LARGEST_BUDGET
)
PAGING = (BUDGET, CURSOR)

LARGEST_SNAPSHOT = (1 << 53) - 1
AS_OF = Field("as_of", "integer", "as it was at this snapshot", least=0, most=LARGEST_SNAPSHOT)

TYPE = Field("memory_type", "text", "only those of this type", choices=MEMORY_TYPES)
LEAST = Field("importance_min", "number", "the least importance", least=0, most=1)
MOST = Field("importance_max", "number", "the greatest importance", least=0, most=1)
AFTER = Field("created_after", "time", "only what was stored later (UTC unless it says another zone)")
BEFORE = Field("created_before", "time", "only what was stored earlier")

MEMORY_FILTERS = (
    TYPE,
    LEAST,
    MOST,
    Field("tags", "words", "all must be carried", longest=LONGEST_TAG, many=MOST_TAGS),
    Field("sources", "words", "one must fit", longest=LONGEST_SOURCE, many=MOST_FILTERS, blank=True),
    AFTER,
    BEFORE,
)
SEARCH_FILTERS = (
    Field("kinds", "words", "kinds of nodes", choices=KINDS, many=MOST_FILTERS),
    Field("tags", "words", "all must be carried", many=MOST_FILTERS),
    Field("sources", "words", "files, folders, or sources of memories", many=MOST_FILTERS),
    Field("roots", "words", "roots of notes", many=MOST_FILTERS),
    TYPE,
    LEAST,
    MOST,
    AFTER,
    BEFORE,
    Field("related_to", "text", "a node that the search begins at as well"),
)

ORIGIN_LIST = Field("origins", "words", "only edges of these origins", choices=ORIGINS, many=50)
TYPE_LIST = Field("relationship_types", "words", "only edges of these types", choices=RELATIONSHIP_TYPES, many=50)
RELATIONSHIP = Field("relationship_type", "text", "the type of the edge", choices=RELATIONSHIP_TYPES)
