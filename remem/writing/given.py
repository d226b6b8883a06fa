"""What callers give of memories: every value checked, every text parsed. Knows no store; raises InvalidInputError that
names the field, and clamps nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson

from remem.checks import check_choice, check_flag, check_text, check_time, check_weight, check_words, name_type
from remem.errors import InvalidInputError, RememError
from remem.ingest.memories import read_memory
from remem.keys import is_blank, strict_key
from remem.limits import (
    LONGEST_CONTENT,
    LONGEST_ID,
    LONGEST_SOURCE,
    LONGEST_TAG,
    LONGEST_TTL,
    MOST_STORED,
    MOST_TAGS,
    UPDATE_FIELDS,
)
from remem.records import (
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    MEMORY_TYPES,
    RELATIONSHIP_TYPES,
    SHORT_TERM,
    EntityGiven,
    Extraction,
    MemoryChange,
    MemoryDraft,
    MemoryFilter,
    MemoryType,
    RefusedItem,
    RelationshipGiven,
)
from remem.writing.guard import OPEN, Guard

LONGEST_METADATA = 100_000
DEEPEST_METADATA = 64
MOST_ENTITIES = 500
LONGEST_NAME = 200
LARGEST_INTEGER = 1 << 63

EXTRACTION = "graph_extraction"
STORE_FIELDS = ("id", *UPDATE_FIELDS, EXTRACTION)

_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_ID}}}")


# --- memories ---------------------------------------------------------------------------------------------------------


def check_draft(
    content: object,
    *,
    id: object = None,
    memory_type: object = None,
    importance: object = DEFAULT_IMPORTANCE,
    tags: object = (),
    source: object = "",
    metadata: object = None,
    ttl: object = None,
    graph_extraction: object = None,
    guard: Guard = OPEN,
) -> MemoryDraft:
    """A memory to be stored, without the secrets that `guard` finds. `ttl` is in seconds."""
    text = check_text("content", content, longest=LONGEST_CONTENT)
    cleaned = guard.clean(text)
    lifetime = None if ttl is None else check_ttl(ttl)
    return MemoryDraft(
        text=read_memory(cleaned),
        id=None if id is None else check_id(id, guard),
        type=_check_type(memory_type, lifetime),
        importance=check_weight("importance", importance, 1.0),
        tags=() if tags is None else check_own_tags(tags, guard),
        source=guard.clean(check_source(source)),
        metadata=check_metadata({} if metadata is None else metadata, guard),
        ttl=lifetime,
        hash=guard.hash_text(text, cleaned),
        extraction=None if graph_extraction is None else check_extraction(graph_extraction, guard),
    )


def check_batch(items: object, guard: Guard = OPEN) -> list[MemoryDraft]:
    """Memories to be stored together: texts, or mappings of the fields. An error names the item, counted from 0."""
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise InvalidInputError(f"items must be a list, not {name_type(items)}", field="items")
    if not 1 <= len(items) <= MOST_STORED:
        raise InvalidInputError(f"items has {len(items)} entries; 1 to {MOST_STORED} are taken", field="items")
    drafts = []
    for number, item in enumerate(items):
        try:
            drafts.append(_check_item(item, guard))
        except RememError as error:
            raise name_item(error, number) from None
    return drafts


def name_item(error: RememError, number: int) -> RememError:
    """The same error, told of one item of a batch."""
    return type(error)(f"item {number}: {error.message}", **{**error.facts, "item": number})


def _check_item(item: object, guard: Guard) -> MemoryDraft:
    if isinstance(item, str):
        return check_draft(item, guard=guard)
    if not isinstance(item, Mapping):
        raise InvalidInputError(f"a memory is text or an object of fields, not {name_type(item)}", field="items")
    fields = _check_fields(item, "items", STORE_FIELDS)
    if "content" not in fields:
        raise InvalidInputError("content is missing", field="content")
    return check_draft(**fields, guard=guard)


def _check_fields(value: object, field: str, known: Sequence[str]) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"{field} must be an object of fields, not {name_type(value)}", field=field)
    for name in value:
        if name not in known:
            raise InvalidInputError(f"there is no field {name!r}; fields are {', '.join(known)}", field=str(name))
    return {str(name): inner for name, inner in value.items()}


def check_change(fields: Mapping[str, object], guard: Guard = OPEN) -> MemoryChange:
    """The fields of a memory that an update replaces, without secrets. `ttl` without a type means short_term."""
    given = _check_fields(fields, "fields", UPDATE_FIELDS)
    if not given or given == {"tags": None}:
        names = ", ".join(f"`{name}`" for name in UPDATE_FIELDS)
        raise InvalidInputError(f"give at least one of {names}", field=UPDATE_FIELDS[0])
    lifetime = check_ttl(given["ttl"]) if "ttl" in given else None
    named = "memory_type" in given or lifetime is not None
    content = check_content(given["content"], guard) if "content" in given else MemoryChange()
    return replace(
        content,
        type=_check_type(given.get("memory_type", SHORT_TERM), lifetime) if named else None,
        importance=check_weight("importance", given["importance"], 1.0) if "importance" in given else None,
        tags=check_own_tags(given["tags"], guard) if given.get("tags") is not None else None,
        source=guard.clean(check_source(given["source"])) if "source" in given else None,
        metadata=check_metadata(given["metadata"], guard) if "metadata" in given else None,
        ttl=lifetime,
    )


def check_content(value: object, guard: Guard = OPEN, field: str = "content") -> MemoryChange:
    """A new text of a memory, without secrets."""
    text = check_text(field, value, longest=LONGEST_CONTENT)
    cleaned = guard.clean(text)
    return MemoryChange(text=read_memory(cleaned), raw=cleaned, hash=guard.hash_text(text, cleaned))


def check_filter(
    memory_type: object = None,
    importance_min: object = 0.0,
    importance_max: object = 1.0,
    tags: object = None,
    sources: object = None,
    created_after: object = None,
    created_before: object = None,
    archived: object = False,
) -> MemoryFilter:
    """Which memories are listed; times in milliseconds."""
    least, most = (
        check_weight("importance_min", importance_min, 1.0),
        check_weight("importance_max", importance_max, 1.0),
    )
    if least > most:
        raise InvalidInputError(f"importance_min {least:g} is above `importance_max` {most:g}", field="importance_min")
    return MemoryFilter(
        memory_type=None if memory_type is None else check_choice("memory_type", memory_type, MEMORY_TYPES),
        importance_min=least,
        importance_max=most,
        tags=() if tags is None else tuple(dict.fromkeys(strict_key(tag) for tag in check_tags(tags))),
        sources=() if sources is None else tuple(map(check_source, check_words("sources", sources))),
        created_after=None if created_after is None else check_time("created_after", created_after),
        created_before=None if created_before is None else check_time("created_before", created_before),
        archived=check_flag("archived", archived),
    )


# --- fields -----------------------------------------------------------------------------------------------------------


def check_id(value: object, guard: Guard = OPEN) -> str:
    """An id that a caller chooses: 1 to 64 letters, digits, `_` and `-`, no secret."""
    text = check_text("id", value)
    if not _ID.fullmatch(text):
        raise InvalidInputError("id must be 1 to 64 letters, digits, _ or - (ASCII)", field="id")
    guard.refuse("id", text)
    return text


def check_ttl(value: object) -> int:
    """A lifetime of more than 0 seconds and at most ten years, as milliseconds (at least one)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInputError(f"ttl must be a number of seconds, not {name_type(value)}", field="ttl")
    if not math.isfinite(value) or not 0 < value <= LONGEST_TTL:
        raise InvalidInputError(f"ttl must be above 0 and at most {LONGEST_TTL:.0f} seconds, not {value}", field="ttl")
    return max(1, round(value * 1000))


def check_own_tags(value: object, guard: Guard = OPEN) -> tuple[str, ...]:
    """The tags that a memory is to carry, as `check_tags`. A text is refused: it may be one tag, several with commas
    between them, or a list written as JSON."""
    if isinstance(value, str):
        raise InvalidInputError('tags must be a list of texts, not one text: give ["a", "b"]', field="tags")
    return check_tags(value, guard)


def check_tags(value: object, guard: Guard = OPEN) -> tuple[str, ...]:
    """At most 50 tags, with or without `#`, each once (compared by key); one text is one tag. What a memory's own text
    says is not bounded."""
    by_key: dict[str, str] = {}
    for tag in check_words("tags", value):
        text = " ".join(check_text("tags", tag, longest=LONGEST_TAG).split()).lstrip("#").strip()
        if is_blank(text):
            raise InvalidInputError("tags holds an empty tag", field="tags")
        text = guard.clean(text)
        by_key.setdefault(strict_key(text), text)
    if len(by_key) > MOST_TAGS:
        raise InvalidInputError(f"tags has {len(by_key)} entries; at most {MOST_TAGS} are taken", field="tags")
    return tuple(by_key.values())


def check_source(value: object) -> str:
    """Where a memory comes from: a text, or '' (or a blank one) for nowhere in particular."""
    return _drop_blank(check_text("source", value, longest=LONGEST_SOURCE, empty=True))


def _drop_blank(text: str) -> str:
    return "" if is_blank(text) else text.strip()


def check_metadata(value: object, guard: Guard = OPEN) -> str:
    """A JSON object, as JSON, without secrets."""
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"metadata must be an object, not {name_type(value)}", field="metadata")
    _check_json(value, 0)
    text = orjson.dumps(guard.clean_json(dict(value))).decode()
    if len(text) > LONGEST_METADATA:
        message = f"metadata has {len(text)} characters as JSON; at most {LONGEST_METADATA} are taken"
        raise InvalidInputError(message, field="metadata")
    return text


def _check_json(value: object, depth: int) -> None:
    if depth > DEEPEST_METADATA:
        raise InvalidInputError(f"metadata is nested deeper than {DEEPEST_METADATA} levels", field="metadata")
    match value:
        case None | bool():
            return
        case str():
            check_text("metadata", value, longest=LONGEST_METADATA, empty=True)
        case int() if abs(value) >= LARGEST_INTEGER:
            raise InvalidInputError("metadata holds a whole number of more than 63 bits", field="metadata")
        case float() if not math.isfinite(value):
            raise InvalidInputError(f"metadata holds {value}, which JSON has not", field="metadata")
        case int() | float():
            return
        case list() | tuple():
            for inner in value:
                _check_json(inner, depth + 1)
        case dict():
            for name, inner in value.items():
                check_text("metadata", name, longest=LONGEST_METADATA, empty=True)
                _check_json(inner, depth + 1)
        case _:
            raise InvalidInputError(f"metadata holds a {type(value).__name__}, which JSON has not", field="metadata")


def _check_type(value: object, lifetime: int | None) -> MemoryType:
    if value is None:
        return SHORT_TERM if lifetime is not None else LONG_TERM
    chosen = check_choice("memory_type", value, MEMORY_TYPES)
    if chosen == LONG_TERM and lifetime is not None:
        raise InvalidInputError("ttl goes with short_term; long_term never expires", field="ttl")
    return SHORT_TERM if chosen == SHORT_TERM else LONG_TERM


# --- graph extraction -------------------------------------------------------------------------------------------------


def check_extraction(value: object, guard: Guard = OPEN) -> Extraction:
    """The entities and relationships of a text. A wrong shape is an error; a wrong item is left out, with a reason."""
    try:
        return _check_extraction(value, guard)
    except InvalidInputError as error:
        inner = [name for name in [error.facts["field"]] if name != EXTRACTION]
        raise InvalidInputError(error.message, field=".".join(map(str, [EXTRACTION, *inner]))) from None


def _check_extraction(value: object, guard: Guard) -> Extraction:
    given = _check_fields(value, EXTRACTION, ("entities", "relationships"))
    clean = guard.clean
    entities: list[EntityGiven] = []
    relationships: list[RelationshipGiven] = []
    refused: list[RefusedItem] = []
    for item in _check_items("entities", given.get("entities")):
        try:
            entities.append(EntityGiven(*map(clean, _check_entity(item))))
        except InvalidInputError as error:
            refused.append(RefusedItem(clean(_name("entity", item, "name")), clean(error.message)))
    for item in _check_items("relationships", given.get("relationships")):
        try:
            found = _check_relationship(item)
            relationships.append(found._replace(source=clean(found.source), target=clean(found.target)))
        except InvalidInputError as error:
            refused.append(RefusedItem(clean(_name("relationship", item, "source", "target")), clean(error.message)))
    return Extraction(tuple(entities), tuple(relationships), tuple(refused))


def _check_items(field: str, value: object) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InvalidInputError(f"{field} must be a list of objects, not {name_type(value)}", field=field)
    if len(value) > MOST_ENTITIES:
        raise InvalidInputError(f"{field} has {len(value)} entries; at most {MOST_ENTITIES} are taken", field=field)
    return value


def _check_entity(item: object) -> EntityGiven:
    given = _check_fields(item, "entity", ("name", "type", "description"))
    type, description = given.get("type"), given.get("description")
    return EntityGiven(
        _check_name("name", given.get("name")),
        "" if type is None else " ".join(check_text("type", type, longest=LONGEST_NAME).split()),
        "" if description is None else _drop_blank(check_text("description", description, empty=True)),
    )


def _check_relationship(item: object) -> RelationshipGiven:
    given = _check_fields(item, "relationship", ("source", "target", "relationship_type", "strength"))
    type, strength = given.get("relationship_type"), given.get("strength")
    return RelationshipGiven(
        _check_name("source", given.get("source")),
        _check_name("target", given.get("target")),
        "related_to" if type is None else check_choice("relationship_type", type, RELATIONSHIP_TYPES),
        1.0 if strength is None else check_weight("strength", strength, 1.0),
    )


def _check_name(field: str, value: object) -> str:
    if value is None:
        raise InvalidInputError(f"{field} is missing", field=field)
    return " ".join(check_text(field, value, longest=LONGEST_NAME).split())


def _name(what: str, item: object, *fields: str) -> str:
    """A short name for an item that is left out; never more of it than its names."""
    if not isinstance(item, Mapping):
        return what
    shown = [str(item.get(field))[:LONGEST_NAME] for field in fields if isinstance(item.get(field), str)]
    return f"{what} {' → '.join(shown)}" if shown else what
