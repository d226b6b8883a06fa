"""Where a block that is too large is cut: content in, spans of pieces out. It never cuts inside a link.

Each level of cuts is finer than the one before: what fits is packed together, what does not goes to the next level.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from remem.ingest.tokens import count_tokens, fits_limit

Span: TypeAlias = tuple[int, int]

_SENTENCE = re.compile(r"(?:[.!?…][\"'”’)\]*_]{0,8}\s+|[。！？]|\n[ \t>]*\n)\s*")
_LINE = re.compile(r"\n\s*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(r"\s+")
_ROW = re.compile(r"\n")
_RAW_LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|<knowledge\b[^<]*</knowledge>", re.IGNORECASE)
_LEVELS: dict[str, tuple[re.Pattern[str], ...]] = {
    "code": (_BLANK_LINE, _LINE, _WORD),
    "table": (_ROW, _WORD),
    "html": (_BLANK_LINE, _LINE, _WORD),
    "kv": (_LINE, _WORD),
}
_TEXT_LEVELS = (_SENTENCE, _LINE, _WORD)
_MIN_ANCHOR = 24
"""An earlier piece shorter than this is no sign of where it was cut."""


def split_block(
    kind: str,
    content: str,
    limit: int,
    *,
    forced: Sequence[int] = (),
    items: Sequence[Sequence[int]] = (),
    spans: Sequence[Span] = (),
    previous: Sequence[Sequence[str]] = (),
) -> list[Span]:
    """The spans of the pieces of `content`, in order, without white space around them.

    No piece has more than `limit` tokens unless one link or one code point has. `forced` are positions that must be
    cut, `items` positions of list items (outer ones first), `spans` ranges that are not cut, in order. `previous`
    holds the pieces of blocks that were split earlier: their cuts are kept where text and limit allow.
    Near linear in the content.
    """
    allowed = _Allowed(spans)
    cuts = {position for position in forced if 0 < position < len(content)}
    if not fits_limit(content, limit):
        earlier = _find_earlier(kind, content, previous)
        cuts |= {position for position in earlier if 0 < position < len(content) and allowed(position)}
    levels = _make_levels(kind, content, items, allowed)
    bounds = [0, *sorted(cuts), len(content)]
    pieces: list[Span] = []
    for start, end in pairwise(bounds):
        pieces += _pack(content, start, end, levels, limit)
    return [span for span in (_strip(content, *piece) for piece in pieces) if span[0] < span[1]]


def find_raw_links(content: str) -> list[Span]:
    """Spans that may be links in text that is not parsed as Markdown: HTML, front matter."""
    return [match.span() for match in _RAW_LINK.finditer(content)]


_Level: TypeAlias = Callable[[int, int], Iterable[int]]


class _Allowed:
    """Whether a position lies outside all links."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __call__(self, position: int) -> bool:
        index = bisect_left(self._starts, position) - 1
        return index < 0 or position >= self._ends[index]


def _make_levels(kind: str, content: str, items: Sequence[Sequence[int]], allowed: _Allowed) -> list[_Level]:
    levels: list[_Level] = [_cut_at(positions) for positions in items]
    for pattern in _LEVELS.get(kind, _TEXT_LEVELS):
        if kind == "table" and pattern is _ROW:
            levels.append(_cut_rows(content))
        else:
            levels.append(_cut_after(content, pattern, allowed))
    levels.append(_cut_graphemes(content, allowed))
    levels.append(lambda start, end: (position for position in range(start + 1, end) if allowed(position)))
    return levels


def _cut_at(positions: Sequence[int]) -> _Level:
    def find(start: int, end: int) -> Iterable[int]:
        return positions[bisect_right(positions, start) : bisect_left(positions, end)]

    return find


def _cut_after(content: str, pattern: re.Pattern[str], allowed: _Allowed) -> _Level:
    def find(start: int, end: int) -> Iterable[int]:
        return (m.end() for m in pattern.finditer(content, start, end) if m.end() < end and allowed(m.end()))

    return find


def _cut_rows(content: str) -> _Level:
    """Rows of a table; the header stays with its first row."""
    rows = [match.end() for match in _ROW.finditer(content)]
    return _cut_at(rows[2:] if "-" in content[: rows[1] if len(rows) > 1 else 0] else rows)


def _cut_graphemes(content: str, allowed: _Allowed) -> _Level:
    def find(start: int, end: int) -> Iterable[int]:
        if content[start:end].isascii():
            return (position for position in range(start + 1, end) if allowed(position))
        import regex

        matches = regex.finditer(r"\X", content, pos=start, endpos=end)
        return (m.end() for m in matches if m.end() < end and allowed(m.end()))

    return find


def _pack(content: str, start: int, end: int, levels: Sequence[_Level], limit: int) -> list[Span]:
    """Cut [start, end) at the first level that has cuts, as few pieces as fit, and what is left too long further on."""
    tokens = count_tokens(content[start:end].strip())
    if tokens <= limit or not levels:
        return [(start, end)]
    bounds = [start, *levels[0](start, end), end]
    guess = max(len(bounds) * limit // tokens, 1)
    pieces: list[Span] = []
    index, last = 0, len(bounds) - 1
    while index < last:
        reach = _find_reach(content, bounds, index, limit, guess)
        if reach > index:
            pieces.append((bounds[index], bounds[reach]))
            index = reach
        else:
            pieces += _pack(content, bounds[index], bounds[index + 1], levels[1:], limit)
            index += 1
    return pieces


def _find_reach(content: str, bounds: Sequence[int], index: int, limit: int, guess: int) -> int:
    """The farthest bound up to which the text from bounds[index] fits; `index` where not even the next one does.

    From `guess` bounds on, steps double up or down, then bisection: few texts are counted for each piece.
    """

    def fits(reach: int) -> bool:
        return fits_limit(content[bounds[index] : bounds[reach]].strip(), limit)

    last = len(bounds) - 1
    step = max(guess // 8, 1)
    good, bad = index, last + 1
    probe = min(index + guess, last)
    while good < probe < bad:
        if fits(probe):
            good, probe = probe, min(probe + step, last)
        else:
            bad, probe = probe, max(probe - step, index)
        step *= 2
    while bad - good > 1:
        middle = (good + bad) // 2
        if fits(middle):
            good = middle
        else:
            bad = middle
    return good


def _find_earlier(kind: str, content: str, previous: Sequence[Sequence[str]]) -> set[int]:
    """Where the block was cut before: all cuts where it says the same, else the starts and ends of those pieces that it
    still holds, of the block that it shares the most with."""
    best: set[int] = set()
    most = 0
    for pieces in previous:
        if (same := _find_all(content, pieces)) is not None:
            return same
        cuts, shared = _find_pieces(content, pieces, kind not in ("text", "quote"))
        if shared > most:
            best, most = cuts, shared
    return best


def _find_all(content: str, pieces: Sequence[str]) -> set[int] | None:
    """The cuts between pieces that together are just this content; None where they are not."""
    cuts: set[int] = set()
    position = 0
    for piece in pieces:
        space = _WORD.match(content, position)
        position = space.end() if space else position
        if not content.startswith(piece, position):
            return None
        cuts.add(position)
        position += len(piece)
    return None if content[position:].strip() else cuts


def _find_pieces(content: str, pieces: Sequence[str], whole_lines: bool) -> tuple[set[int], int]:
    """Cuts around the pieces that the content holds, and how many characters these have."""
    cuts: set[int] = set()
    position = shared = 0
    for piece in pieces:
        found = content.find(piece, position) if len(piece) >= _MIN_ANCHOR else -1
        if found < 0:
            continue
        after = found + len(piece)
        space = _WORD.match(content, after)
        for cut in (found, space.end() if space else after):
            cuts |= {cut} if not whole_lines or _starts_line(content, cut) else set()
        position = after
        shared += len(piece)
    return {cut for cut in cuts if 0 < cut < len(content)}, shared


def _starts_line(content: str, position: int) -> bool:
    before = content[content.rfind("\n", 0, position) + 1 : position]
    return not before.strip()


def _strip(content: str, start: int, end: int) -> Span:
    piece = content[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, max(start, end - (len(piece) - len(piece.rstrip())))
