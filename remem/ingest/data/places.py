"""The spans of the parts of a YAML or TOML text: each reaches to the next, so that comments go with what they stand
above or behind. Before, a part's span is that of key and value alone."""

from __future__ import annotations

from remem.ingest.data.parts import Part


def place_parts(text: str, root: Part, start: int, end: int) -> None:
    """Give a document that lies between `start` and `end`, and all below it, their spans. The first part of the
    document begins where the document does. Linear in the text."""
    if text.startswith("---", start) and text[start + 3 : _find_end(text, start + 3)].strip(" \t") == "":
        start += 3
    waiting = [(root, start, end, False)]
    while waiting:
        part, start, end, has_comma = waiting.pop()
        own = part.start, part.end
        part.start, part.end = start, _trim_end(text, start, end, has_comma)
        children = part.children
        if not children:
            continue
        bounds = [
            _find_lead(text, child.start, floor)
            for child, floor in zip(children, _list_floors(part, own[0]), strict=True)
        ]
        if part is root:
            bounds[0] = start
        bounds.append(_find_last(text, part, own[1]))
        waiting += [(child, bounds[i], bounds[i + 1], part.flow) for i, child in enumerate(children)]


def _find_last(text: str, part: Part, end: int) -> int:
    """Where the last child of a part ends whose own text ends at `end`: before its bracket, or behind the comments that
    follow it."""
    if not part.flow or text[end : part.end].strip():
        return part.end
    return max(end - 1, part.start)


def _list_floors(part: Part, start: int) -> list[int]:
    """For each child where what stands before it ends."""
    return [start, *(child.end for child in part.children[:-1])]


def _find_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _trim_end(text: str, start: int, end: int, has_comma: bool) -> int:
    """The end without white space, and without the comma of a list in brackets."""
    while end > start and text[end - 1].isspace():
        end -= 1
    if has_comma and end > start and text[end - 1] == ",":
        return _trim_end(text, start, end - 1, False)
    return end


def _find_lead(text: str, start: int, floor: int) -> int:
    """Where the comment lines right above a part begin, if it begins its line."""
    floor = max(floor - 1, 0)
    line = text.rfind("\n", floor, start) + 1
    if not line or text[line:start].strip(" \t?"):
        return start
    while above := text.rfind("\n", floor, line - 1) + 1:
        if not text[above : line - 1].lstrip().startswith("#"):
            break
        line = above
    return line
