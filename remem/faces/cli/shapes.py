"""Records as lines of text: the index, a path, a result, an edge. Prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from remem.faces.cli.output import choose_brush, clean_label, count, find_width, is_terminal, paint
from remem.rendering.lines import show_number

if TYPE_CHECKING:
    from remem.records import Edge, PathStep, Related, TreeLine


def show_place(root: str, source: str) -> str:
    """Root and path of a file; empty for what no file holds."""
    return clean_label(f"{root}/{source}") if source else ""


class Named(Protocol):
    """What has a label, a kind and an id."""

    @property
    def label(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...


class Warm(Protocol):
    """What has a temperature, and may be pinned."""

    @property
    def temperature(self) -> float: ...
    @property
    def pinned(self) -> bool: ...


def show_named(node: Named) -> tuple[str, str]:
    """How a result is named: its label; its kind and id."""
    return paint(clean_label(node.label), "label"), paint(f"{node.kind} ", "dim") + paint(node.id, "id")


def show_temperature(node: Warm) -> str:
    """How warm a node is, from 0 to 1, and whether it is pinned."""
    return f"temperature {node.temperature:.2f}{', pinned' if node.pinned else ''}"


# --- the index -------------------------------------------------------------------------------------------------------


def list_index(lines: Sequence[TreeLine]) -> Iterator[str]:
    """The index, one line a node: indent, label, kind, id, tokens."""
    guides = draw_guides([line.depth for line in lines]) if is_terminal() else None
    paint = choose_brush()
    for number, line in enumerate(lines):
        indent = paint(guides[number], "dim") if guides else "  " * line.depth
        yield indent + show_line(line, paint)


def show_line(line: TreeLine, paint: Callable[[str, str], str] = paint) -> str:
    """One line of the index without its indent."""
    label = clean_label(line.label)
    parts = [paint(label, "label") if line.depth == 0 else label, paint(f"{line.kind} ", "dim") + paint(line.id, "id")]
    if tokens := line.total_tokens or line.tokens:
        parts.append(paint(count(tokens, "token"), "dim"))
    if line.parent_id is None and line.source:
        parts.append(paint(show_place(line.root, line.source), "dim"))
    if line.pinned:
        parts.append(paint("pinned", "good"))
    if line.hidden:
        parts.append(paint(f"+{line.hidden} below", "dim"))
    return "  ".join(parts)


def draw_guides(depths: Sequence[int]) -> list[str]:
    """The rulings of a tree before each of its lines."""
    drawn = []
    open_at: set[int] = set()
    for depth in reversed(depths):
        stems = ["│  " if level in open_at else "   " for level in range(1, depth)]
        drawn.append("".join(stems) + (("├─ " if depth in open_at else "└─ ") if depth else ""))
        open_at = {level for level in open_at if level < depth} | {depth}
    return drawn[::-1]


# --- ways ------------------------------------------------------------------------------------------------------------


def show_hop(type: str, weight: float, origin: str, *, forward: bool) -> str:
    """An edge as an arrow that bears its type, weight and origin: `--caused_by 3 parsed-->`."""
    dash = "─" if is_terminal() else "-"
    told = f"{type} {show_number(weight)} {origin}"
    if is_terminal():
        return paint(f"{dash * 2}{told}{dash}▶" if forward else f"◀{dash}{told}{dash * 2}", "dim")
    return f"--{told}-->" if forward else f"<--{told}--"


def show_step(step: PathStep) -> str:
    """One hop of a path and the station that it reaches."""
    hop = show_hop(step.relationship_type, step.weight, step.origin, forward=step.direction == "out")
    return f"{hop} {clean_label(step.label)}"


def list_path(start: str, path: Sequence[PathStep], indent: str) -> Iterator[str]:
    """A path from the label of its start, on one line, or one line a step where the width does not hold it."""
    steps = [show_step(step) for step in path]
    plain = [clean_label(start), *steps]
    width = find_width()
    line = indent + " ".join(plain)
    if width is None or _measure(line) <= width:
        yield line
        return
    yield indent + plain[0]
    yield from (f"{indent}  {step}" for step in steps)


def _measure(line: str) -> int:
    import click

    return len(click.unstyle(line))


def list_related(start: str, found: Sequence[Related]) -> Iterator[str]:
    """The results, best first: a line with score, hops, label, kind, id and file, and below it the path."""
    for item in found:
        node = item.node
        parts = [
            paint(show_number(item.score).ljust(5), "good"),
            count(item.hops, "hop").ljust(6),
            *show_named(node),
            paint(show_place(node.root, node.source), "dim"),
        ]
        yield "  ".join(parts).rstrip()
        yield from list_path(start, item.path, " " * 7)


def show_edge(edge: Edge, node_id: str, ends: Mapping[str, TreeLine]) -> str:
    """An edge as seen from one of its ends: the arrow, then the other end, with label where `ends` has it."""
    forward = edge.source_id == node_id
    arrow = show_hop(edge.relationship_type, edge.weight, edge.origin, forward=forward)
    id = edge.target_id if forward else edge.source_id
    other = ends.get(id)
    told = f"{clean_label(other.label)}  {paint(other.kind + ' ', 'dim')}" if other else ""
    doubt = "  (ambiguous)" if edge.ambiguous else ""
    return f"{arrow} {told}{paint(id, 'id')}{doubt}"
