"""The values that cross module borders: immutable, without behaviour. Nothing in here reads or writes.

Records that are made by the hundred thousand while a folder is compiled are named tuples (half a microsecond each);
all others are frozen slotted dataclasses. Weights are numbers from 0 to 1 000 000 with six decimals; `key` is the
integer of a row, `id` the public name of a node.

A module of records is imported when the first name of it is used: making their classes takes longer than the rest of a
short command. `__init__.pyi` says the same names to readers of types.
"""

from __future__ import annotations

from importlib import import_module

_NAMES = {
    "edits": """
        FORGET_MODES WRITE_FORMATS ChangedNode Edited ForgetMode HeldNode HeldRow KeyedNode Payload SummaryRow
        WriteFormat
    """,
    "graph": """
        DirectEdge EdgeFilter HopFilter HopRow PathStep Related RelatedPage SectionText StationRow TraversalRequest
    """,
    "measured": "Bench MeasuredTask Way",
    "memories": """
        BY_CALL BY_EXPIRY DEFAULT_IMPORTANCE LONG_TERM MEMORY_ORDERS MEMORY_TYPES SHORT_TERM EntityGiven EntityMade
        EntityRow Extraction ExtractionReport Forgotten Memory MemoryChange MemoryDraft MemoryFilter MemoryOrder
        MemoryRow MemoryText MemoryType RefusedItem RelationshipGiven RelationshipMade Swept
    """,
    "naming": "Hint HintKeys Name NodeRef Outline OutlineHeading Place Resolution",
    "pages": "Page PageRequest Printed",
    "parsed": "Diagnostic Matching NewDocument OldDocument OldNode ParsedDocument ParsedLink ParsedNode",
    "pictures": "Ghost GraphEdge GraphFigures GraphNode Hub Neighbourhood Picture PictureNode PlacedNode",
    "reports": "CompileProgress CompileReport DoctorReport DropReport Finding",
    "rows": "ChangeRow DocumentRow EdgeRow LinkRow NodeRow NodeShift RelationRow RemovedRow Root RootRow Snapshot",
    "search": """
        Passage PassageRow PassageText Recall RecallItem RecallPlace SearchAnswer Searched SearchExplanation SearchHit
        SearchPage SearchQuery SearchRequest SearchTerm
    """,
    "shown": "Crumb Edge Mention Node NodeView PendingEdge Relation Stats TreeLine Unrelated",
    "sources": "FileStat RootPlan Scan SourceFile SourceText UnreadSource",
    "tasks": "TASKS TaskState",
    "transfer": """
        Backup ChangeMarks Export ExportRows ImportedEdge ImportedEntity ImportedMemory ImportedNote ImportedText
        ImportFile ImportProblem ImportReport MigrationState Restored
    """,
    "usage": "START_TEMPERATURE Boost ColdDigest ColdNode Heat NodeUsage UsageRow",
    "vectors": "DuplicateGroup EmbedderOptions Examined Fixed Job Neighbour NoEmbedder Refusal WorkState",
    "versions": """
        PURGED ChangeKind HistoryEntry Layout LayoutNode LayoutRow NodeChange NodeDiff NodeState Presence
        PurgeReport RollbackReport SnapshotLine
    """,
    "vocabulary": """
        DISCOVERED DISCOVERED_TYPE KINDS MANUAL MAX_WEIGHT MENTIONED MICRO ORIGINS PARSED RELATIONSHIP_TYPES Direction
        Rank Scope
    """,
    "watching": "WATCH_PHASES WatchPhase WatchState",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """A record or constant of one of the modules. Raises AttributeError for a name that none has."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    """The names that are there to be used, and those that every module has."""
    return sorted({*globals(), *__all__})
