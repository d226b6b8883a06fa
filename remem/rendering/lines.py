"""What the lines of all answers are made of: labels, numbers, places, arrows, the closing line. Fits nothing into a
budget."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from remem.records import Searched

NOTHING = "nothing found"
"""What stands in place of an answer that is empty,"""
NO_MORE = "nothing more"
"""and of a later page of it."""

# Control characters and the ends of lines that are none of `\n` would break one line into two.
_ONE_LINE = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], " ")


class Walked(Protocol):
    """An edge as it was walked."""

    @property
    def relationship_type(self) -> str: ...
    @property
    def weight(self) -> float: ...
    @property
    def direction(self) -> str: ...


def show_label(text: str) -> str:
    """A label on one line."""
    return text if text.isprintable() else " ".join(text.translate(_ONE_LINE).split())


def show_number(value: float) -> str:
    """A weight or score without needless zeros, to six decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def show_count(number: int, noun: str, plural: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def show_time(milliseconds: int) -> str:
    """`2026-03-02 09:30:05 UTC`; the number where no calendar goes so far."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)


def show_searched(searched: Searched) -> str:
    """What a search looked through: `searched 12 passages of 1 node`."""
    return f"searched {show_count(searched.passages, 'passage')} of {show_count(searched.nodes, 'node')}"


def show_place(root: str, source: str) -> str:
    """Root and path of a file; empty for what no file holds."""
    return show_label(f"{root}/{source}") if source else ""


def show_name(label: str, kind: str, id: str) -> str:
    """`Label [kind] id`: how every node is named."""
    return f"{show_label(label)} [{kind}] {id}"


def show_crumbs(labels: Iterable[str]) -> str:
    """`Document › Section`."""
    return " › ".join(map(show_label, labels))


def show_arrow(edge: Walked) -> str:
    """`-references 2.5->` where the edge was walked forward, `<-references 2.5-` where backward."""
    told = f"{edge.relationship_type} {show_number(edge.weight)}"
    return f"-{told}->" if edge.direction == "out" else f"<-{told}-"


def show_rest(count: int, cursor: str) -> str:
    """The closing line of a page that leaves something out."""
    return f"… {count} more (cursor {cursor})"
