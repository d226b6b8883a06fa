"""Front matter: a block of YAML or TOML in; title, aliases, tags and links out. The block itself is never changed.

YAML is read as a tree of texts: no value is converted, so `0.90`, `00501` and dates keep their form. What the reader
refuses is read again key by key, and what is still refused gives its links from the raw lines.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

import yaml

from remem.ingest.entries import Entry, read_entries
from remem.ingest.links import Problems, parse_wiki, scan_text
from remem.ingest.yaml_toml import FAULTS, MAX_SECTIONS, NULLS, YAML_LOADER, check_dots, check_nesting
from remem.records import RELATIONSHIP_TYPES, ParsedLink

MAX_SIZE = 131_072
"""Characters of front matter that are read as YAML or TOML; a longer block gives its links only."""

_KEY_END = {"yaml": re.compile(r":(?=\s|\Z)"), "toml": re.compile("=")}
_NO_KEY = tuple(" \t#-[]{},|>!&*%@`?")
_BREAK = re.compile(r"\n")


class FrontMatter(NamedTuple):
    """What front matter says. `title` is None where it is missing or empty; `tags` come without `#`.

    `problems` are triples (line, code, message). `is_mapping` is False where the block is no mapping: then it is no
    front matter, and all else is empty. A block that cannot be read counts as a mapping if it begins with a key.
    """

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[ParsedLink, ...] = ()
    problems: tuple[tuple[int, str, str], ...] = ()
    is_mapping: bool = False


def parse_front_matter(raw: str, style: Literal["yaml", "toml"], line: int) -> FrontMatter:
    """Read the front matter `raw` (without its fences), whose first line is `line` of the file. Never raises.

    `title`, `aliases` or `alias`, `tags` or `tag` count in any case of letters, a relationship type only as it is.
    Of a repeated key the last one counts. One string of aliases is split at commas, one of tags also at white space.
    """
    problems: Problems = []
    if len(raw) > MAX_SIZE:
        message = f"front matter of more than {MAX_SIZE} characters is not read"
        problems.append((line, "front-matter-too-large", message))
        entries: list[Entry] | None = _read_raw(raw, style, line)
    elif style == "yaml":
        entries = _read_yaml(raw, line, problems)
    else:
        entries = _read_toml(raw, line, problems)
    if entries is None:
        return FrontMatter()
    # A text may hold line ends that only YAML counts.
    end = line + raw.count("\n")
    links = tuple(link._replace(line=min(link.line, end)) for link in _find_links(entries, problems))
    said = read_entries(entries, problems, prefix="front-matter", titles=("title",))
    return FrontMatter(said.title, said.aliases, said.tags, links, tuple(problems), True)


def _find_links(entries: list[Entry], problems: Problems) -> Iterator[ParsedLink]:
    for entry in entries:
        typed = entry.key if entry.key in RELATIONSHIP_TYPES else "references"
        for text, line, is_wiki in entry.texts:
            link = parse_wiki(text, embed=False, line=line, problems=problems) if is_wiki else None
            found = [link] if link else [] if is_wiki else scan_text(text, line, problems)
            yield from (link if link.type != "references" else link._replace(type=typed) for link in found)


# --- YAML ------------------------------------------------------------------------------------------------------------


class _YamlReader:
    """Reads entries from the tree of one YAML text; what aliases repeat is read up to the size of the text."""

    def __init__(self, raw: str, line: int, problems: Problems) -> None:
        self.raw = raw
        self.line = line
        self.breaks = [match.start() for match in _BREAK.finditer(raw)]
        self.problems = problems
        self.left = len(raw) + MAX_SECTIONS
        self.reported = False

    def find_line(self, node: yaml.Node) -> int:
        """The line of the file in which a node begins. YAML itself counts other line ends than `\\n` too."""
        return self.line + bisect_left(self.breaks, node.start_mark.index)

    def read_entry(self, key: yaml.Node, value: yaml.Node) -> Entry:
        text = key.value if isinstance(key, yaml.ScalarNode) else ""
        is_list = isinstance(value, yaml.SequenceNode) and self.find_wiki(value) is None
        entry = Entry(text, self.find_line(key), is_list=is_list)
        if not isinstance(key, yaml.ScalarNode):
            self.report_key(key)
            self.read_value(key, entry, in_map=True)
        self.read_value(value, entry)
        return entry

    def read_value(self, value: yaml.Node, entry: Entry, *, in_map: bool = False) -> None:
        """Gather the texts below a node, each list and map once."""
        stack = [(value, in_map)]
        seen: set[int] = set()
        while stack and self.left > 0:
            self.left -= 1
            node, in_map = stack.pop()
            if isinstance(node, yaml.ScalarNode):
                self.add_scalar(node, entry, in_map)
            elif id(node) not in seen:
                seen.add(id(node))
                stack += reversed(self.read_collection(node, entry, in_map))

    def read_collection(self, node: yaml.Node, entry: Entry, in_map: bool) -> list[tuple[yaml.Node, bool]]:
        """The nodes in a list or map that are to be read next."""
        if isinstance(node, yaml.MappingNode):
            entry.has_map = True
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    self.report_key(key)
            return [(child, True) for pair in node.value for child in pair]
        wiki = self.find_wiki(node)
        if wiki is None:
            return [(child, in_map) for child in node.value]
        entry.texts.append((wiki, self.find_line(node), True))
        if not in_map:
            entry.values.append(f"[[{wiki}]]")
        return []

    def add_scalar(self, node: yaml.ScalarNode, entry: Entry, in_map: bool) -> None:
        if "[[" in node.value:
            first = self.find_line(node) + (node.style in ("|", ">"))
            entry.texts.append((node.value, first, False))
        is_null = not node.style and node.value in NULLS
        if not in_map and not is_null and node.value.strip():
            entry.values.append(node.value)

    def find_wiki(self, node: yaml.Node) -> str | None:
        """What stands between `[[` and `]]` where that, unquoted, was read as a list in a list; None elsewhere."""
        if not (isinstance(node, yaml.SequenceNode) and node.flow_style and len(node.value) == 1):
            return None
        inner = node.value[0]
        if not isinstance(inner, yaml.SequenceNode):
            return None
        start, end = inner.start_mark.index, inner.end_mark.index
        nested = any(isinstance(child, yaml.SequenceNode) for child in inner.value)
        if nested or not inner.value or start != node.start_mark.index + 1 or end != node.end_mark.index - 1:
            return None
        return self.raw[start + 1 : end - 1]

    def report_key(self, key: yaml.Node) -> None:
        if not self.reported:
            message = "a list or a map stands where a key belongs, as in a template"
            self.problems.append((self.find_line(key), "front-matter-invalid", message))
        self.reported = True


def _read_yaml(raw: str, line: int, problems: Problems) -> list[Entry] | None:
    try:
        node = _compose_yaml(raw)
    except FAULTS as error:
        return _read_sections(raw, line, error, problems)
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        return None
    reader = _YamlReader(raw, line, problems)
    return [reader.read_entry(key, value) for key, value in node.value]


def _compose_yaml(text: str) -> yaml.Node | None:
    """The YAML tree. Raises ValueError where it may be nested so deep that the parser's own stack would not hold it."""
    check_nesting(text)
    node: yaml.Node | None = yaml.compose(text, Loader=YAML_LOADER)
    return node


def _read_sections(raw: str, line: int, error: Exception, problems: Problems) -> list[Entry] | None:
    """Read invalid YAML key by key, so that one bad value does not cost the others."""
    if not _begins_with_key(raw, "yaml"):
        return None
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or "it cannot be decoded or is nested too deep"
    place = line + (raw.count("\n", 0, mark.index) if mark else 0)
    problems.append((place, "front-matter-invalid", f"invalid YAML: {reason}"))
    entries: list[Entry] = []
    for count, (offset, section) in enumerate(_split_sections(raw, "yaml")):
        read = _read_section(section, line + offset, problems) if count < MAX_SECTIONS else None
        entries += read if read is not None else [_read_lines(section, "yaml", line + offset)]
    return entries


def _read_section(section: str, line: int, problems: Problems) -> list[Entry] | None:
    try:
        node = _compose_yaml(section)
    except FAULTS:
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    reader = _YamlReader(section, line, problems)
    return [reader.read_entry(key, value) for key, value in node.value]


# --- TOML ------------------------------------------------------------------------------------------------------------


def _read_toml(raw: str, line: int, problems: Problems) -> list[Entry] | None:
    try:
        check_dots(raw)
        table = tomllib.loads(raw, parse_float=str)
    except FAULTS as error:
        if not _begins_with_key(raw, "toml"):
            return None
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deep"
        problems.append((line, "front-matter-invalid", f"invalid TOML: {reason}"))
        return _read_raw(raw, "toml", line)
    lines: dict[str, int] = {}
    for offset, section in _split_sections(raw, "toml"):
        lines.setdefault(_find_key(section, "toml") or "", line + offset)
    return [_read_toml_value(key, value, lines.get(key, line)) for key, value in table.items()]


def _read_toml_value(key: str, value: object, line: int) -> Entry:
    """One entry of a table; all its links stand at the line of its key."""
    entry = Entry(key, line, is_list=isinstance(value, list))
    stack: list[tuple[object, bool]] = [(value, False)]
    while stack:
        item, in_map = stack.pop()
        if isinstance(item, dict):
            entry.has_map = True
            stack += [(child, True) for child in reversed(item.values())]
        elif isinstance(item, list):
            stack += [(child, in_map) for child in reversed(item)]
        else:
            text = str(item).lower() if isinstance(item, bool) else str(item)
            entry.texts.append((text, line, False))
            if not in_map and text.strip():
                entry.values.append(text)
    return entry


# --- raw lines -------------------------------------------------------------------------------------------------------


def _find_key(line: str, style: str) -> str | None:
    """The key that a line at the first level begins with, None where it begins with none."""
    if line.startswith(_NO_KEY):
        return None
    end = _KEY_END[style].search(line)
    return line[: end.start()].strip().strip("\"'") if end and 0 < end.start() <= 100 else None


def _begins_with_key(raw: str, style: str) -> bool:
    for line in raw.split("\n"):
        if line.strip() and not line.lstrip().startswith("#") and (style == "yaml" or line[0] != "["):
            return _find_key(line, style) is not None
    return False


def _split_sections(raw: str, style: str) -> Iterator[tuple[int, str]]:
    """The parts of a block, each from one key to the next, with the index of their first line."""
    start, part = 0, list[str]()
    for index, line in enumerate(raw.split("\n")):
        if part and _find_key(line, style) is not None:
            yield start, "\n".join(part)
            start, part = index, []
        part.append(line)
    yield start, "\n".join(part)


def _read_raw(raw: str, style: str, line: int) -> list[Entry]:
    return [_read_lines(section, style, line + offset) for offset, section in _split_sections(raw, style)]


def _read_lines(section: str, style: str, line: int) -> Entry:
    """An entry of lines that cannot be read: its links, and its value where that is one line of plain words."""
    key = _find_key(section, style) or ""
    entry = Entry("" if "[[" in key else key, line)
    lines = section.split("\n")
    for index, text in enumerate(lines):
        if "[[" in text and not text.lstrip().startswith("#") and (style == "yaml" or not text.startswith("[")):
            entry.texts.append((text, line + index, False))
    end = _KEY_END[style].search(section) if key else None
    value = lines[0][end.end() :].strip() if end else ""
    if style == "toml":
        value = value.strip("\"'")
    if value and not "".join(lines[1:]).strip() and not value.startswith((*_NO_KEY, '"', "'")):
        entry.values.append(value)
    return entry
