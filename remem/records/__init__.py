"""The values that cross module borders: immutable, without behaviour. Nothing in here reads or writes.

Records that are made by the hundred thousand while a folder is compiled are named tuples (half a microsecond each);
all others are frozen slotted dataclasses. Weights are numbers from 0 to 1 000 000 with six decimals; `key` is the
integer of a row, `id` the public name of a node.
"""

from __future__ import annotations

from remem.records.graph import (
    DirectEdge as DirectEdge,
)
from remem.records.graph import (
    EdgeFilter as EdgeFilter,
)
from remem.records.graph import (
    HopFilter as HopFilter,
)
from remem.records.graph import (
    HopRow as HopRow,
)
from remem.records.graph import (
    PathStep as PathStep,
)
from remem.records.graph import (
    Related as Related,
)
from remem.records.graph import (
    SectionText as SectionText,
)
from remem.records.graph import (
    StationRow as StationRow,
)
from remem.records.graph import (
    TraversalRequest as TraversalRequest,
)
from remem.records.memories import (
    BY_CALL as BY_CALL,
)
from remem.records.memories import (
    BY_EXPIRY as BY_EXPIRY,
)
from remem.records.memories import (
    DEFAULT_IMPORTANCE as DEFAULT_IMPORTANCE,
)
from remem.records.memories import (
    LONG_TERM as LONG_TERM,
)
from remem.records.memories import (
    MEMORY_ORDERS as MEMORY_ORDERS,
)
from remem.records.memories import (
    MEMORY_TYPES as MEMORY_TYPES,
)
from remem.records.memories import (
    SHORT_TERM as SHORT_TERM,
)
from remem.records.memories import (
    EntityGiven as EntityGiven,
)
from remem.records.memories import (
    EntityMade as EntityMade,
)
from remem.records.memories import (
    EntityRow as EntityRow,
)
from remem.records.memories import (
    Extraction as Extraction,
)
from remem.records.memories import (
    ExtractionReport as ExtractionReport,
)
from remem.records.memories import (
    Forgotten as Forgotten,
)
from remem.records.memories import (
    Memory as Memory,
)
from remem.records.memories import (
    MemoryChange as MemoryChange,
)
from remem.records.memories import (
    MemoryDraft as MemoryDraft,
)
from remem.records.memories import (
    MemoryFilter as MemoryFilter,
)
from remem.records.memories import (
    MemoryOrder as MemoryOrder,
)
from remem.records.memories import (
    MemoryRow as MemoryRow,
)
from remem.records.memories import (
    MemoryText as MemoryText,
)
from remem.records.memories import (
    MemoryType as MemoryType,
)
from remem.records.memories import (
    RefusedItem as RefusedItem,
)
from remem.records.memories import (
    RelationshipGiven as RelationshipGiven,
)
from remem.records.memories import (
    RelationshipMade as RelationshipMade,
)
from remem.records.memories import (
    Swept as Swept,
)
from remem.records.naming import (
    Hint as Hint,
)
from remem.records.naming import (
    HintKeys as HintKeys,
)
from remem.records.naming import (
    Name as Name,
)
from remem.records.naming import (
    NodeRef as NodeRef,
)
from remem.records.naming import (
    Outline as Outline,
)
from remem.records.naming import (
    OutlineHeading as OutlineHeading,
)
from remem.records.naming import (
    Place as Place,
)
from remem.records.naming import (
    Resolution as Resolution,
)
from remem.records.pages import (
    Page as Page,
)
from remem.records.pages import (
    PageRequest as PageRequest,
)
from remem.records.pages import (
    Printed as Printed,
)
from remem.records.parsed import (
    Diagnostic as Diagnostic,
)
from remem.records.parsed import (
    Matching as Matching,
)
from remem.records.parsed import (
    NewDocument as NewDocument,
)
from remem.records.parsed import (
    OldDocument as OldDocument,
)
from remem.records.parsed import (
    OldNode as OldNode,
)
from remem.records.parsed import (
    ParsedDocument as ParsedDocument,
)
from remem.records.parsed import (
    ParsedLink as ParsedLink,
)
from remem.records.parsed import (
    ParsedNode as ParsedNode,
)
from remem.records.parsed import (
    RemovedNode as RemovedNode,
)
from remem.records.pictures import (
    GraphEdge as GraphEdge,
)
from remem.records.pictures import (
    GraphFigures as GraphFigures,
)
from remem.records.pictures import (
    GraphNode as GraphNode,
)
from remem.records.pictures import (
    Hub as Hub,
)
from remem.records.pictures import (
    Neighbourhood as Neighbourhood,
)
from remem.records.reports import (
    CompileProgress as CompileProgress,
)
from remem.records.reports import (
    CompileReport as CompileReport,
)
from remem.records.reports import (
    DoctorReport as DoctorReport,
)
from remem.records.reports import (
    DropReport as DropReport,
)
from remem.records.reports import (
    Finding as Finding,
)
from remem.records.rows import (
    ChangeRow as ChangeRow,
)
from remem.records.rows import (
    DocumentRow as DocumentRow,
)
from remem.records.rows import (
    EdgeRow as EdgeRow,
)
from remem.records.rows import (
    LinkRow as LinkRow,
)
from remem.records.rows import (
    NodeRow as NodeRow,
)
from remem.records.rows import (
    NodeShift as NodeShift,
)
from remem.records.rows import (
    RelationRow as RelationRow,
)
from remem.records.rows import (
    RemovedRow as RemovedRow,
)
from remem.records.rows import (
    Root as Root,
)
from remem.records.rows import (
    Snapshot as Snapshot,
)
from remem.records.search import (
    Passage as Passage,
)
from remem.records.search import (
    PassageRow as PassageRow,
)
from remem.records.search import (
    PassageText as PassageText,
)
from remem.records.search import (
    Recall as Recall,
)
from remem.records.search import (
    RecallItem as RecallItem,
)
from remem.records.search import (
    SearchAnswer as SearchAnswer,
)
from remem.records.search import (
    Searched as Searched,
)
from remem.records.search import (
    SearchExplanation as SearchExplanation,
)
from remem.records.search import (
    SearchHit as SearchHit,
)
from remem.records.search import (
    SearchPage as SearchPage,
)
from remem.records.search import (
    SearchQuery as SearchQuery,
)
from remem.records.search import (
    SearchRequest as SearchRequest,
)
from remem.records.search import (
    SearchTerm as SearchTerm,
)
from remem.records.shown import (
    Crumb as Crumb,
)
from remem.records.shown import (
    Edge as Edge,
)
from remem.records.shown import (
    Export as Export,
)
from remem.records.shown import (
    Mention as Mention,
)
from remem.records.shown import (
    Node as Node,
)
from remem.records.shown import (
    NodeView as NodeView,
)
from remem.records.shown import (
    PendingEdge as PendingEdge,
)
from remem.records.shown import (
    Relation as Relation,
)
from remem.records.shown import (
    Stats as Stats,
)
from remem.records.shown import (
    TreeLine as TreeLine,
)
from remem.records.shown import (
    Unrelated as Unrelated,
)
from remem.records.sources import (
    FileStat as FileStat,
)
from remem.records.sources import (
    RootPlan as RootPlan,
)
from remem.records.sources import (
    Scan as Scan,
)
from remem.records.sources import (
    SourceFile as SourceFile,
)
from remem.records.sources import (
    SourceText as SourceText,
)
from remem.records.sources import (
    UnreadSource as UnreadSource,
)
from remem.records.usage import (
    START_TEMPERATURE as START_TEMPERATURE,
)
from remem.records.usage import (
    Boost as Boost,
)
from remem.records.usage import (
    ColdNode as ColdNode,
)
from remem.records.usage import (
    Heat as Heat,
)
from remem.records.usage import (
    NodeUsage as NodeUsage,
)
from remem.records.usage import (
    UsageRow as UsageRow,
)
from remem.records.vectors import (
    DuplicateGroup as DuplicateGroup,
)
from remem.records.vectors import (
    EmbedderOptions as EmbedderOptions,
)
from remem.records.vectors import (
    Fixed as Fixed,
)
from remem.records.vectors import (
    Job as Job,
)
from remem.records.vectors import (
    Neighbour as Neighbour,
)
from remem.records.vectors import (
    NoEmbedder as NoEmbedder,
)
from remem.records.vectors import (
    Refusal as Refusal,
)
from remem.records.vectors import (
    WorkState as WorkState,
)
from remem.records.vocabulary import (
    KINDS as KINDS,
)
from remem.records.vocabulary import (
    MAX_WEIGHT as MAX_WEIGHT,
)
from remem.records.vocabulary import (
    MICRO as MICRO,
)
from remem.records.vocabulary import (
    ORIGINS as ORIGINS,
)
from remem.records.vocabulary import (
    RELATIONSHIP_TYPES as RELATIONSHIP_TYPES,
)
from remem.records.vocabulary import (
    Direction as Direction,
)
from remem.records.vocabulary import (
    Rank as Rank,
)
from remem.records.vocabulary import (
    Scope as Scope,
)
