"""Files that stores wrote, taken apart: what `export` writes as JSON or a line at a time, and what the MCP reference
server for knowledge graphs keeps. Bad lines become problems. It checks no value and knows no store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from remem.errors import InvalidInputError
from remem.ingest.knowledge import KnowledgeGraph
from remem.records import (
    ImportedEdge,
    ImportedEntity,
    ImportedMemory,
    ImportedNote,
    ImportedText,
    ImportFile,
    ImportProblem,
)

JSON, LINES, KNOWLEDGE = "json", "jsonl", "mcp-memory"
MANUAL = "manual"
OWN_TYPES = ("node", "edge", "pending", "archived")
KNOWLEDGE_TYPES = ("entity", "relation")
_MEMORY_FIELDS = ("memory_type", "importance", "tags", "source", "metadata", "ttl")
_TIMES = ("created_at", "updated_at", "expires_at", "archived_at")
_LISTS = {"nodes": "node", "archived": "archived", "edges": "edge", "pending": "pending"}


def read_import(data: bytes) -> ImportFile:
    """What a file holds. Raises InvalidInputError where it is none of the known forms at all."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"the file is not UTF-8 (byte {error.start})", field="path") from None
    whole = _read_whole(text)
    lines = _list_items(whole) if whole is not None else _list_lines(text)
    reader = FileReader()
    for line, item in lines:
        try:
            reader.take(line, item)
        except (KeyError, TypeError, ValueError) as error:
            reader.problems.append(ImportProblem(line, _explain(error)))
    if not reader.known:
        raise InvalidInputError(
            "the file holds nothing that can be taken in: neither an export (JSON or JSONL) nor a knowledge graph of"
            " the MCP memory server",
            field="path",
        )
    return reader.finish(JSON if whole is not None else LINES)


def _read_whole(text: str) -> Mapping[str, Any] | None:
    """The one object that the file is, None where it is lines."""
    try:
        found = _load(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and "type" not in found else None


def _load(text: str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def _list_items(whole: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
    for name, type in _LISTS.items():
        items = whole.get(name, [])
        for item in items if isinstance(items, list) else ():
            yield 0, {**item, "type": type} if isinstance(item, dict) else item


def _list_lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, _load(line)
            except (ValueError, RecursionError):
                yield number, None


def _explain(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    return str(error) or "it is not as it should be"


class FileReader:
    """Gathers what is read, line by line. `known` is whether any line was of a known kind."""

    def __init__(self) -> None:
        self.known = False
        self.problems: list[ImportProblem] = []
        self._graph = KnowledgeGraph()
        self._texts: list[ImportedText] = []
        self._notes: list[ImportedNote] = []
        self._entities: list[ImportedEntity] = []
        self._memories: list[ImportedMemory] = []
        self._edges: list[ImportedEdge] = []

    def take(self, line: int, item: object) -> None:
        """One line, or item of a list. Raises KeyError, TypeError, ValueError for a bad one."""
        if not isinstance(item, dict):
            raise ValueError("this is no JSON object")
        type = item.get("type")
        if type not in (*OWN_TYPES, *KNOWLEDGE_TYPES):
            raise ValueError(f"type {str(type)[:40]!r} is not known")
        self.known = True
        match type:
            case "entity":
                self._graph.add_entity(line, item)
            case "relation":
                self._graph.add_relation(line, item)
            case "node":
                self._take_node(line, item)
            case "archived":
                self._memories.append(_read_memory(line, item))
            case _:
                self._take_edge(line, item)

    def _take_node(self, line: int, item: Mapping[str, Any]) -> None:
        kind, id = _text(item, "kind"), _text(item, "id")
        if kind == "memory":
            return self._memories.append(_read_memory(line, item))
        if kind == "entity":
            type, said = item.get("entity_type", ""), item.get("content", "")
            return self._entities.append(ImportedEntity(line, id, _text(item, "label"), type, said))
        root, source, position = _text(item, "root"), _text(item, "source"), item["position"]
        if isinstance(position, bool) or not isinstance(position, int):
            raise ValueError("position must be a whole number")
        self._notes.append(ImportedNote(id, root, source, position))
        if kind == "document" and isinstance(item.get("text"), str):
            self._texts.append(ImportedText(line, id, root, item.get("file", source), item["text"]))

    def _take_edge(self, line: int, item: Mapping[str, Any]) -> None:
        """Manual edges alone: all others follow from the texts."""
        if item.get("origin") != MANUAL:
            return
        label, anchor = item.get("label") or "", item.get("anchor") or ""
        if anchor and "#" not in label:
            label = f"{label}#{anchor}"
        target = _text(item, "target_id") if item["type"] == "edge" else None
        edge = ImportedEdge(
            line, _text(item, "source_id"), target, label, item.get("source") or "", _text(item, "relationship_type"),
            item.get("weight", 1.0), _time(item, "created_at"), _time(item, "updated_at"),
        )  # fmt: skip
        self._edges.append(edge)

    def finish(self, form: str) -> ImportFile:
        """All that was read; a file with a knowledge graph in it is one of that form."""
        memories = [*self._memories, *self._graph.list_memories()]
        own = [*self._texts, *self._notes, *self._entities, *self._memories, *self._edges]
        problems = [*self.problems, *self._graph.problems]
        return ImportFile(
            form if own or not memories else KNOWLEDGE,
            tuple(self._texts),
            tuple(self._notes),
            tuple(self._entities),
            tuple(memories),
            tuple(self._edges),
            tuple(sorted(problems, key=lambda problem: problem.line)),
        )


def _read_memory(line: int, item: Mapping[str, Any]) -> ImportedMemory:
    facts = item.get("memory") or {}
    if not isinstance(facts, dict):
        raise ValueError("memory must be an object")
    fields = {"id": _text(item, "id"), "content": _text(item, "content")}
    fields |= {name: facts[name] for name in _MEMORY_FIELDS if facts.get(name) is not None}
    if fields.get("memory_type") == "long_term":
        fields.pop("ttl", None)
    made, changed, ends, put_away = (_time(facts, name) for name in _TIMES)
    return ImportedMemory(line, fields, made, changed, ends, put_away)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text")
    return value


def _time(item: Mapping[str, Any], name: str) -> int | None:
    """Milliseconds of a time as exports have it, None where there is none."""
    value = item.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a time")
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} must be a time like 2026-03-02T09:30:00Z") from None
