"""The values that cross module borders: immutable, without behaviour. Nothing in here reads or writes.

Records that are made by the hundred thousand while a folder is compiled are named tuples (half a microsecond each);
all others are frozen slotted dataclasses. Weights are numbers from 0 to 1 000 000 with six decimals; `key` is the
integer of a row, `id` the public name of a node.

A module of records is imported when the first name of it is used (`lazy`).
"""

from __future__ import annotations

from remem.lazy import hand_out

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
        BY_CALL BY_EXPIRY LONG_TERM MEMORY_ORDERS MEMORY_TYPES SHORT_TERM EntityGiven EntityMade
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
        PurgeReport Renamed RollbackReport SnapshotLine
    """,
    "vocabulary": """
        DEFAULT_IMPORTANCE DISCOVERED DISCOVERED_TYPE KINDS MANUAL MAX_WEIGHT MENTIONED MICRO ORIGINS PARSED
        RELATIONSHIP_TYPES Direction Rank Scope
    """,
    "watching": "WATCH_PHASES WatchPhase WatchState",
}
__all__, __getattr__, __dir__ = hand_out(__name__, _NAMES)
