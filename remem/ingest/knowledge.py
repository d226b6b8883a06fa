"""The knowledge graph of the MCP reference server as memories: one for each entity, with its observations as a list and
its relations as links in it. Knows no store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from remem.ids import node_id
from remem.records import ImportedMemory, ImportProblem

SOURCE = "mcp-memory"
_SPACE = re.compile(r"\s+")
_UNFIT = re.compile(r"[\[\]|]+")


class KnowledgeGraph:
    """Gathers entities and relations in any order. An entity that comes again adds to the first."""

    def __init__(self) -> None:
        self.problems: list[ImportProblem] = []
        self._lines: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._said: dict[str, dict[str, None]] = {}
        self._relations: list[tuple[int, str, str, str]] = []

    def add_entity(self, line: int, item: Mapping[str, Any]) -> None:
        """`{name, entityType, observations}`. Raises KeyError, ValueError."""
        name = _name(item, "name")
        said = item.get("observations", [])
        if not isinstance(said, list) or not all(isinstance(text, str) for text in said):
            raise ValueError("observations must be a list of texts")
        self._lines.setdefault(name, line)
        if item.get("entityType"):
            self._types.setdefault(name, _name(item, "entityType"))
        self._said.setdefault(name, {}).update(dict.fromkeys(text.strip() for text in said if text.strip()))

    def add_relation(self, line: int, item: Mapping[str, Any]) -> None:
        """`{from, to, relationType}`. Raises KeyError, ValueError."""
        self._relations.append((line, _name(item, "from"), _name(item, "relationType"), _name(item, "to")))

    def list_memories(self) -> Iterator[ImportedMemory]:
        """A memory for each entity; a relation that leaves an unknown one is a problem."""
        links: dict[str, dict[str, None]] = {}
        for line, start, type, end in self._relations:
            if start not in self._lines:
                message = f"the relation leaves {start[:80]!r}, which is no entity here"
                self.problems.append(ImportProblem(line, message))
            else:
                links.setdefault(start, {})[f"{type} {write_link(end)}"] = None
        for name, line in self._lines.items():
            items = [*self._said[name], *links.get(name, ())]
            yield ImportedMemory(line, self._make_fields(name, items), renewed=True)

    def _make_fields(self, name: str, items: list[str]) -> Mapping[str, object]:
        type = self._types.get(name, "")
        body = "\n".join(f"- {_indent(item)}" for item in items)
        fields: dict[str, object] = {
            "id": make_id(name),
            "content": f"# {name}\n\n{body}" if body else f"# {name}",
            "source": SOURCE,
        }
        return fields | ({"metadata": {"entity_type": type}, "tags": [_SPACE.sub("-", type)]} if type else {})


def make_id(name: str) -> str:
    """The id of an entity's memory: the same for the same name, whenever and wherever it is imported."""
    return node_id("", SOURCE, (), "memory", name, 0)


def write_link(name: str) -> str:
    """A link to an entity's memory by its id, shown by its name."""
    shown = _SPACE.sub(" ", _UNFIT.sub(" ", name)).strip()
    return f"[[{make_id(name)}|{shown}]]" if shown else f"[[{make_id(name)}]]"


def _indent(text: str) -> str:
    """A text as an item of a list: its further lines belong to it."""
    return "\n".join(f"  {line}" if number and line else line for number, line in enumerate(text.splitlines()))


def _name(item: Mapping[str, Any], field: str) -> str:
    value = item[field]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{field} must be a text that is not empty")
    return _SPACE.sub(" ", value).strip()
