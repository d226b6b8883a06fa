"""Fits a text into a budget of tokens: how many of its units go in, and where one that is too long is cut.

Lines that stand one below the other are counted many at a time (`fit_lines`). Where the text is put together in another
way, units are counted one by one, each once; the whole text is counted exactly when it is put together, and what does
not fit is taken off its end (`fit_units`). So the cost is linear in the budget, whatever the length of the answer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from remem.ingest.labels import find_grapheme_end
from remem.ingest.tokens import count_tokens, fits_limit

JOIN_SLACK = 4
"""Tokens by which a joined text may have more than its parts."""

_ROUNDS = 4
_SLACK = 16
"""By so many tokens, at most, a sum of units and a closing line come out too high for one unit more."""
_TRIES = 4
"""So many units more are tried in the end, one by one: without the closing line, all may fit."""

_LENGTH = 2.5
"""Characters of a token, to begin with; rather few, so that what is counted first is not much too long."""


class Fitted(NamedTuple):
    """How many units the text holds, the text, and its tokens, which are at most the budget unless `units` is 0."""

    units: int
    text: str
    tokens: int


def fit_units(total: int, measure: Callable[[int], int], compose: Callable[[int], str], budget: int) -> Fitted:
    """The most units, from the first on, whose text stays in the budget.

    `measure(i)` says about how many tokens unit `i` adds; it is asked for no more than fit. `compose(n)` is the whole
    text with the first `n` units, for 0 with whatever stands around them.
    """
    sums = [count_tokens(compose(0))]
    fitted = _shrink(_reach(sums, total, measure, budget), sums, compose, budget)
    for _ in range(_ROUNDS):
        # Counted one by one, units come out too high: what was saved so far makes room for more.
        count = _reach(sums, total, measure, sums[fitted.units] + budget - fitted.tokens)
        better = _shrink(count, sums, compose, budget) if count > fitted.units else fitted
        if better.units <= fitted.units:
            break
        fitted = better
    # Only where the end is near does the closing line go away, so that more may fit though one more does not.
    tries = _TRIES if total - fitted.units <= _TRIES else 1
    for count in range(fitted.units + 1, min(fitted.units + tries, total) + 1):
        if tries == 1 and sums[fitted.units] + budget - fitted.tokens + _SLACK < _sum_up(sums, count, measure):
            break
        text = compose(count)
        if fits_limit(text, budget):
            fitted = Fitted(count, text, count_tokens(text))
    return fitted


def fit_lines(total: int, show: Callable[[int], str], close: Callable[[int], str], budget: int) -> Fitted:
    """The most units, from the first on, that with what stands below them stay in the budget.

    `show(i)` is unit `i`, one line or several; it is asked for few more than fit. `close(n)` stands below the first
    `n`, and may be empty below all of them. Neither begins with a blank line: no token of the encoding reaches over the
    end of a line to what follows, so tokens of lines add up.
    """
    lines = _Lines(total, show, bare=not close(total))
    count, tokens = lines.fill(budget)
    closing, below = "", 0
    while count:
        if tokens + below <= budget + _SLACK:
            closing = close(count)
            below = count_tokens(closing)
            if tokens + below <= budget:
                break
        count -= 1
        tokens -= lines.count(count, count + 1)
    closing = closing if count else close(0)
    text = "\n".join(part for part in (*map(show, range(count)), closing) if part)
    return Fitted(count, text, tokens + below)


class _Lines:
    """Units one below the other, each with the end of its line; the last of all is without, where it is `bare`."""

    def __init__(self, total: int, show: Callable[[int], str], *, bare: bool) -> None:
        self._total, self._show, self._bare = total, show, bare

    def count(self, start: int, end: int) -> int:
        """The tokens of a run of units (at least one)."""
        text = "\n".join(map(self._show, range(start, end)))
        return count_tokens(text if self._bare and end == self._total else text + "\n")

    def fill(self, budget: int) -> tuple[int, int]:
        """So many units, from the first on, that no more go into the budget (or all), and their tokens. Counted in runs
        of about what is left."""
        count = tokens = 0
        length = _LENGTH
        while count < self._total and tokens <= budget:
            start, room = count, (budget - tokens) * length
            while count < self._total and (room > 0 or count == start):
                room -= len(self._show(count)) + 1
                count += 1
            added = self.count(start, count)
            length = ((budget - tokens) * length - room) / max(added, 1)
            tokens += added
        return count, tokens


def _reach(sums: list[int], total: int, measure: Callable[[int], int], limit: int) -> int:
    """How many units have a sum of at most `limit`; `sums` grows as far as is needed."""
    while len(sums) <= total and sums[-1] <= limit:
        sums.append(sums[-1] + measure(len(sums) - 1))
    return max(bisect_right(sums, limit) - 1, 0)


def _sum_up(sums: list[int], count: int, measure: Callable[[int], int]) -> int:
    while len(sums) <= count:
        sums.append(sums[-1] + measure(len(sums) - 1))
    return sums[count]


def _shrink(count: int, sums: list[int], compose: Callable[[int], str], budget: int) -> Fitted:
    while True:
        text = compose(count)
        tokens = count_tokens(text)
        if tokens <= budget or not count:
            return Fitted(count, text, tokens)
        # At least the excess goes, as it was counted unit by unit.
        count = min(count - 1, max(bisect_right(sums, sums[count] - (tokens - budget)) - 1, 0))


def cut_text(text: str, compose: Callable[[str], str], budget: int) -> str:
    """The longest start of `text` (at least one character) with which the whole text, `compose(start)`, stays in the
    budget. It ends between graphemes, unless the first alone is too long."""
    low, high = 0, 1
    while high < len(text) and fits_limit(compose(text[:high]), budget):
        low, high = high, high * 2
    high = min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if fits_limit(compose(text[:middle]), budget):
            low = middle
        else:
            high = middle - 1
    end = find_grapheme_end(text, low) if low < len(text) else low
    while end > 1 and not fits_limit(compose(text[:end]), budget):
        end = find_grapheme_end(text, end - 1)
    return text[: max(end, 1)]


def find_word_end(text: str, limit: int) -> int:
    """Where a text that has to end at `limit` ends between words: behind the last white space before, if that lies in
    the second half."""
    if limit >= len(text) or text[limit].isspace():
        return limit
    end = limit
    while end > limit // 2 and not text[end - 1].isspace():
        end -= 1
    return end if end > limit // 2 else limit


def shorten_text(text: str, limit: int) -> str:
    """The text, or the start of it that with an ellipsis has at most `limit` tokens."""
    return text if fits_limit(text, limit) else cut_text(text, lambda start: start + "…", limit) + "…"
