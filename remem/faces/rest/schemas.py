"""The shapes of answers as JSON schemas, by name. What they describe is made in `faces.wire`."""

from __future__ import annotations

from typing import get_args

from remem.faces.rest.compiles import State
from remem.faces.wire import FATES, REPORTS, Json
from remem.records import KINDS, MEMORY_TYPES, ORIGINS, RELATIONSHIP_TYPES, TASKS, WATCH_PHASES

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer", "minimum": 0}
NUMBER: Json = {"type": "number"}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
FLAG: Json = {"type": "boolean"}
TIME: Json = {"type": "string", "format": "date-time"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}
MAYBE_TIME: Json = {"type": ["string", "null"], "format": "date-time"}
MAYBE_WHOLE: Json = {"type": ["integer", "null"]}
KIND: Json = {"type": "string", "enum": list(KINDS)}
TYPE: Json = {"type": "string", "enum": list(RELATIONSHIP_TYPES)}
ORIGIN: Json = {"type": "string", "enum": list(ORIGINS)}
WAY: Json = {"type": "string", "enum": ["out", "in"]}
ANY_OBJECT: Json = {"type": "object"}


def refer(name: str) -> Json:
    """A reference to a shape by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(items: Json | str) -> Json:
    """A list of a shape."""
    return {"type": "array", "items": refer(items) if isinstance(items, str) else items}


def maybe(name: str) -> Json:
    """A shape, or null."""
    return {"anyOf": [refer(name), {"type": "null"}]}


def shape(also: dict[str, Json] | None = None, /, **fields: Json) -> Json:
    """An object that has all `fields`, may have those of `also`, and no others."""
    return {
        "type": "object",
        "properties": {**fields, **(also or {})},
        "required": list(fields),
        "additionalProperties": False,
    }


WHOLES = list_of({"type": "integer", "minimum": -1})
PLACES = list_of({"type": ["number", "null"]})
COLUMNS: dict[str, Json] = {
    "id": list_of(TEXT), "label": list_of(TEXT), "kind": WHOLES, "root": WHOLES, "source": WHOLES, "parent": WHOLES,
    "degree": WHOLES, "temperature": list_of(SHARE), "tokens": WHOLES, "pinned": WHOLES, "created_at": WHOLES,
    "updated_at": WHOLES, "tags": list_of(WHOLES), "x": PLACES, "y": PLACES,
}  # fmt: skip
EDGE_COLUMNS: dict[str, Json] = {
    "source": WHOLES, "target": WHOLES, "type": WHOLES, "origin": WHOLES, "weight": list_of(NUMBER),
}  # fmt: skip
GHOST_COLUMNS: dict[str, Json] = {
    "label": list_of(TEXT), "source": WHOLES, "type": WHOLES, "weight": list_of(NUMBER), "count": WHOLES,
}  # fmt: skip
PLACE: dict[str, Json] = {"id": TEXT, "kind": KIND, "label": TEXT, "root": TEXT, "source": TEXT}
NODE: dict[str, Json] = {
    **PLACE, "parent_id": MAYBE_TEXT, "position": WHOLE, "depth": WHOLE, "tokens": WHOLE, "tags": list_of(TEXT),
    "content": TEXT,
}  # fmt: skip
MEMORY: dict[str, Json] = {
    "id": TEXT, "content": TEXT, "memory_type": {"type": "string", "enum": list(MEMORY_TYPES)}, "importance": SHARE,
    "source": TEXT, "access_count": WHOLE, "pinned": FLAG, "archived": FLAG, "tags": list_of(TEXT),
    "metadata": ANY_OBJECT, "created_at": TIME, "updated_at": TIME, "accessed_at": MAYBE_TIME,
    "expires_at": MAYBE_TIME, "temperature": SHARE, "kind": KIND, "label": TEXT, "root": TEXT, "tokens": WHOLE,
    "existing": FLAG,
}  # fmt: skip
EXTRACTION = shape(
    entities=list_of(shape(id=TEXT, name=TEXT, type=TEXT, created=FLAG)),
    relationships=list_of(shape(source_id=TEXT, target_id=TEXT, relationship_type=TYPE, strength=SHARE, created=FLAG)),
    refused=list_of(shape(item=TEXT, reason=TEXT)),
)
END: dict[str, Json] = {
    "target_id": TEXT, "relationship_type": TYPE, "strength": SHARE, "weight": NUMBER, "origin": ORIGIN,
    "created_at": TIME,
}  # fmt: skip
WALKED: dict[str, Json] = {
    "source_id": TEXT, "target_id": TEXT, "relationship_type": TYPE, "origin": ORIGIN, "weight": NUMBER,
    "direction": WAY,
}  # fmt: skip
REST: dict[str, Json] = {"total": WHOLE, "left_out": WHOLE, "cursor": MAYBE_TEXT}
PART: dict[str, Json] = {"left_out": WHOLE, "cursor": MAYBE_TEXT}
LINE: dict[str, Json] = {
    **PLACE, "parent_id": MAYBE_TEXT, "depth": WHOLE, "tokens": WHOLE, "total_tokens": WHOLE, "hidden": WHOLE,
    "temperature": SHARE, "pinned": FLAG,
}  # fmt: skip
HIT: dict[str, Json] = {
    "breadcrumb": list_of("Crumb"), "score": SHARE, "snippet": TEXT,
    "spans": list_of({"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2}), "block_id": TEXT,
    "tokens": WHOLE, "reason": TEXT, "via": list_of("Step"),
}  # fmt: skip
DRAWN: dict[str, Json] = {
    "source_id": TEXT, "target_id": TEXT, "relationship_type": TYPE, "origin": ORIGIN, "weight": NUMBER,
    "edge_source_id": TEXT, "edge_target_id": TEXT,
}  # fmt: skip
TASK: dict[str, Json] = {
    "name": {"type": "string", "enum": list(TASKS)}, "paused": FLAG, "active": FLAG, "owed": MAYBE_WHOLE,
    "every": {"type": ["number", "null"]}, "ran_at": MAYBE_TIME, "outcome": TEXT, "problem": TEXT,
}  # fmt: skip
DIAGNOSTICS: Json = list_of(shape(source=TEXT, line=MAYBE_WHOLE, code=TEXT, message=TEXT))
CHANGE: Json = {"type": "string", "enum": ["add", "mod", "move", "rem"]}
COMPILED: dict[str, Json] = {
    "root": TEXT, "dry_run": FLAG, "files": WHOLE, "files_added": WHOLE, "files_changed": WHOLE,
    "files_removed": WHOLE, "files_unchanged": WHOLE, "added": WHOLE, "modified": WHOLE, "moved": WHOLE,
    "removed": WHOLE, "links": WHOLE, "pending": WHOLE, "ambiguous": WHOLE, "snapshot": MAYBE_WHOLE,
    "kept": list_of(TEXT), "seconds": NUMBER,
    "diagnostics": DIAGNOSTICS,
}  # fmt: skip

SCHEMAS: dict[str, Json] = {
    "Memory": shape({"graph_extraction": EXTRACTION, "connections": list_of("Connection"), **REST}, **MEMORY),
    "Memories": shape(PART, memories=list_of("Memory"), total=WHOLE, next_cursor=MAYBE_TEXT),
    "Batch": shape(memories=list_of("Memory"), total=WHOLE),
    "Forgotten": shape(
        {"mode": TEXT, "removed": list_of(TEXT), "lifted": list_of(TEXT)},
        success=FLAG, message=TEXT, id=TEXT, hard=FLAG, snapshot=WHOLE,
    ),
    "Edited": shape(
        **PLACE, snapshot=MAYBE_WHOLE, **dict.fromkeys(FATES, list_of(shape(id=TEXT, kind=KIND, label=TEXT))),
        diagnostics=DIAGNOSTICS,
    ),
    "Snapshots": shape(
        snapshots=list_of(shape(
            id=WHOLE, parent=WHOLE, created_at=TIME, message=TEXT, state_hash=TEXT, **dict.fromkeys(FATES, WHOLE),
            finished=FLAG,
        )),
        **REST,
    ),
    "Delta": shape(changes=list_of(shape(op=CHANGE, **PLACE, content=MAYBE_TEXT)), **REST),
    "Diff": shape(
        changes=list_of(
            shape(op=CHANGE, **PLACE, before=MAYBE_TEXT, after=MAYBE_TEXT, diff=TEXT, purged=FLAG)
        ),
        **REST,
    ),
    "History": shape(
        history=list_of(shape(
            snapshot=WHOLE, created_at=TIME, message=TEXT, op=CHANGE, detail=TEXT, label=TEXT, before=MAYBE_TEXT,
            after=MAYBE_TEXT, tags=list_of(TEXT), purged=FLAG,
        )),
        **REST,
    ),
    "RolledBack": shape(
        to=WHOLE, scope=TEXT, snapshot=MAYBE_WHOLE, dry_run=FLAG, **dict.fromkeys(FATES, WHOLE),
        changes=list_of(shape(op=CHANGE, **PLACE, archived=FLAG)),
        renamed=list_of(shape(id=TEXT, label=TEXT, was=TEXT, now=TEXT)), held=list_of(TEXT),
    ),
    "Purged": shape(texts=WHOLE, changes=WHOLE, complete=FLAG, message=TEXT),
    "Crumb": shape(id=TEXT, label=TEXT),
    "Step": shape(id=TEXT, label=TEXT, **WALKED),
    "Found": {
        "type": "object",
        "properties": {**MEMORY, "truncated": FLAG},
        "required": ["id", "content", "importance", "truncated"],
    },
    "Explanation": ANY_OBJECT,
    "Hit": shape({"explanation": refer("Explanation")}, memory=refer("Found"), **HIT),
    "Results": shape(
        results=list_of("Hit"),
        mode=TEXT,
        notes=list_of(TEXT),
        searched={"anyOf": [shape(passages=WHOLE, nodes=WHOLE), {"type": "null"}]},
        **REST,
    ),
    "Recalled": shape(
        **PLACE, breadcrumb=list_of("Crumb"), score=SHARE, reason=TEXT, text=TEXT, tokens=WHOLE, truncated=FLAG,
        continued=FLAG,
    ),
    "Recall": shape(
        items=list_of("Recalled"), text=TEXT, tokens=WHOLE, left_out=list_of("Crumb"), notes=list_of(TEXT),
        cursor=MAYBE_TEXT,
    ),
    "Connection": shape(source_id=TEXT, connection=shape(**END)),
    "Made": shape(
        source_id=TEXT, connection=shape(**END, updated_at=TIME), label=TEXT,
        created=FLAG, pending=FLAG, partial=FLAG, ambiguous=FLAG,
    ),
    "Connections": shape(PART, connections=list_of("Connection"), total=WHOLE, limit=WHOLE, offset=WHOLE),
    "Disconnected": shape(success=FLAG, message=TEXT, deleted=WHOLE, source_id=TEXT, target_id=MAYBE_TEXT),
    "RelatedNode": shape(**NODE, importance=SHARE, truncated=FLAG),
    "Related": shape(
        memory=refer("RelatedNode"),
        connection=shape(**END, direction=WAY),
        score=NUMBER,
        distance=WHOLE,
        hops=WHOLE,
        direct={"anyOf": [shape(**WALKED), {"type": "null"}]},
        path=list_of("Step"),
    ),
    "AllRelated": shape(REST, memory_id=TEXT, related=list_of("Related")),
    "Path": shape(source_id=TEXT, target_id=TEXT, found=maybe("Related")),
    "Line": shape(**LINE),
    "Tree": shape(nodes=list_of("Line"), **REST),
    "Edge": shape(
        source_id=TEXT, target_id=TEXT, relationship_type=TYPE, origin=ORIGIN, weight=NUMBER, links=WHOLE,
        ambiguous=FLAG, created_at=TIME, updated_at=TIME,
    ),
    "Node": shape(
        **NODE, total_tokens=WHOLE, temperature=SHARE, pinned=FLAG, breadcrumb=list_of("Crumb"), text=TEXT,
        children=list_of("Line"), edges=list_of("Edge"), **REST,
    ),
    "PendingEdge": shape(
        source_id=TEXT, source_label=TEXT, source_missing=FLAG, root=TEXT, path=TEXT, label=TEXT, source=TEXT, id=TEXT,
        anchor=TEXT, relationship_type=TYPE, origin=ORIGIN, weight=NUMBER, suggestions=list_of("Crumb"),
    ),
    "Pending": shape(pending=list_of("PendingEdge"), **REST),
    "Mention": shape(
        source_id=TEXT, source_label=TEXT, root=TEXT, path=TEXT, name=TEXT, target_id=TEXT, target_label=TEXT,
        weight=NUMBER, texts=WHOLE, created_at=TIME,
    ),
    "Mentions": shape(mentions=list_of("Mention"), **REST),
    "Graph": shape(
        nodes=list_of(shape(**PLACE, degree=WHOLE, distance=WHOLE)), edges=list_of(shape(**DRAWN)), left_out=WHOLE
    ),
    "Picture": shape(
        snapshot=WHOLE, change=WHOLE, total_nodes=WHOLE, total_edges=WHOLE, shown_nodes=WHOLE, left_out=WHOLE,
        truncated=FLAG, kinds=list_of(KIND), types=list_of(TYPE), origins=list_of(ORIGIN), roots=list_of(TEXT),
        sources=list_of(TEXT), tags=list_of(TEXT), nodes=shape(**COLUMNS), edges=shape(**EDGE_COLUMNS),
        ghosts=shape(**GHOST_COLUMNS),
    ),
    "Placed": shape(placed=WHOLE),
    "Usage": shape(
        id=TEXT, kind=KIND, label=TEXT, temperature=SHARE, pinned=FLAG, access_count=WHOLE, accessed_at=MAYBE_TIME
    ),
    "Compiled": shape(**COMPILED),
    "CompileTask": shape(
        task_id=TEXT, kind={"const": "compile"}, state={"type": "string", "enum": list(get_args(State))}, path=TEXT,
        created_at=TIME, ended_at=MAYBE_TIME,
        progress={"anyOf": [shape(phase=TEXT, done=WHOLE, total=WHOLE), {"type": "null"}]},
        report=maybe("Compiled"), problem={"anyOf": [refer("Problem"), {"type": "null"}]},
    ),
    "Task": shape(**TASK),
    "Tasks": shape(tasks=list_of("Task"), compiles=list_of("CompileTask"), watches=list_of("Watch")),
    "Watch": shape(
        root=TEXT, path=TEXT, state={"type": "string", "enum": list(WATCH_PHASES)}, native=FLAG, pending=WHOLE,
        compiles=WHOLE, snapshot=MAYBE_WHOLE, problem=TEXT, compiled_at=MAYBE_TIME,
        seen_at=MAYBE_TIME,
    ),
    "Roots": shape(roots=list_of(shape(name=TEXT, path=TEXT, documents=WHOLE, compiled_at=TIME)), **REST),
    "Stats": ANY_OBJECT,
    "Health": shape(status={"type": "string", "enum": ["ok", "ready"]}, version=TEXT),
    "Problem": {
        "type": "object",
        "properties": {
            "type": TEXT,
            "title": TEXT,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "code": {"type": "string", "enum": sorted([*REPORTS, "internal"])},
            "detail": TEXT,
            "request_id": TEXT,
            "field": TEXT,
            "item": WHOLE,
            "errors": list_of(shape(field=TEXT, reason=TEXT)),
            "candidates": list_of(TEXT),
            "place": TEXT,
            "retry_after": WHOLE,
        },
        "required": ["type", "title", "status", "code", "detail", "request_id"],
    },
}  # fmt: skip
"""All shapes. An object says with `additionalProperties` whether others may be there."""
