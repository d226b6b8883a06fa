"""A part of the graph as one SVG picture: nodes with labels, edges with direction, type, origin and weight. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from remem.graph.placing import FloatArray, place_nodes
from remem.records import Ghost, GraphEdge, Picture
from remem.rendering.drawing.palette import DASHES, TYPES, make_style

SPACING = 118.0
MARGIN = 96.0
LONGEST_LABEL = 44
LETTER = 6.9
"""The width of a letter of a label, about."""
LINE = 15.0
ARROW = 9
MOST_GHOSTS = 40
LEGEND = 26.0

_UNWANTED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of the drawing."""

    label: str
    kind: str
    about: str
    x: float
    y: float
    radius: float
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of the drawing between two spots; `bend` is how far it swings to one side."""

    start: int
    end: int
    type: str
    origin: str
    weight: float
    bend: float


def clean(text: str, longest: int) -> str:
    """A text on one line, without what XML cannot hold or what would turn its surroundings about, cut at `longest`."""
    line = " ".join(_UNWANTED.sub("", text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def draw_svg(picture: Picture, *, alone: bool = True) -> str:
    """The picture; its first node is the one that was asked for. With `alone`, a file of its own with its style."""
    ghosts = picture.ghosts[:MOST_GHOSTS]
    spots = _place(picture, ghosts)
    lines = _list_lines(picture, ghosts)
    box = _measure(spots)
    legend = _draw_legend(lines, box)
    top, height = box[1], box[3] + LEGEND
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[0]:.0f} {top:.0f} {box[2]:.0f} {height:.0f}"'
    size = f' width="{box[2]:.0f}" height="{height:.0f}"' if alone else ' id="picture"'
    named = escape(clean(picture.nodes[0].label, 200)) if picture.nodes else "nothing"
    told = f' role="img" aria-label="The graph around {named}">'
    style = f"<style>{make_style()}</style>" if alone else ""
    ground = f'<rect x="{box[0]:.0f}" y="{top:.0f}" width="100%" height="100%" fill="var(--ground)"/>' if alone else ""
    edges = "".join(_draw_line(line, spots) for line in lines)
    names = _draw_names(spots)
    nodes = "".join(_draw_spot(spot, at == 0) for at, spot in enumerate(spots))
    return f"{head}{size}{told}{style}{_draw_arrows()}{ground}<g>{edges}{nodes}{names}</g>{legend}</svg>"


def _place(picture: Picture, ghosts: Sequence[Ghost]) -> list[Spot]:
    at = {node.id: number for number, node in enumerate(picture.nodes)}
    count = len(picture.nodes) + len(ghosts)
    ends = [(at[edge.source_id], at[edge.target_id], _find_pull(edge)) for edge in picture.edges]
    ends += [(at[node.parent_id], at[node.id], 1.5) for node in picture.nodes if node.parent_id in at]
    ends += [(at[ghost.source_id], len(at) + number, 1.0) for number, ghost in enumerate(ghosts)]
    columns = list(zip(*ends, strict=True)) if ends else [(), (), ()]
    source, target = np.array(columns[0], np.int64), np.array(columns[1], np.int64)
    places: FloatArray = place_nodes(count, source, target, np.array(columns[2], np.float64), SPACING)
    spots = [
        Spot(
            clean(node.label, LONGEST_LABEL) or node.id, node.kind, clean(f"{node.kind} {node.label}", 300), x, y,
            5.0 + 2.2 * math.log2(1 + node.degree),
        )
        for node, (x, y) in zip(picture.nodes, places.tolist(), strict=False)
    ]  # fmt: skip
    for ghost, (x, y) in zip(ghosts, places[len(spots) :].tolist(), strict=True):
        spots.append(
            Spot(clean(ghost.label, LONGEST_LABEL), "ghost", clean(f"waits: {ghost.label}", 300), x, y, 6.0, True)
        )
    return spots


def _find_pull(edge: GraphEdge) -> float:
    pull = min(edge.weight, 4.0)
    return pull * {"mentioned": 0.4, "discovered": 0.6}.get(edge.origin, 1.0)


def _list_lines(picture: Picture, ghosts: Sequence[Ghost]) -> list[Line]:
    """The edges; those between one pair of nodes swing apart."""
    at = {node.id: number for number, node in enumerate(picture.nodes)}
    ends = [(at[e.source_id], at[e.target_id], e.relationship_type, e.origin, e.weight) for e in picture.edges]
    known = len(at)
    ends += [
        (at[ghost.source_id], known + number, ghost.relationship_type, "parsed", ghost.weight)
        for number, ghost in enumerate(ghosts)
    ]
    pairs, seen = Counter(frozenset(end[:2]) for end in ends), Counter[frozenset[int]]()
    lines = []
    for start, end, kind, origin, weight in ends:
        pair = frozenset((start, end))
        turn = seen[pair] - (pairs[pair] - 1) / 2
        seen[pair] += 1
        lines.append(Line(start, end, kind, origin, weight, 34 * turn * (1 if start < end else -1)))
    return lines


def _measure(spots: Sequence[Spot]) -> tuple[float, float, float, float]:
    """(left, top, width, height) of all with their labels."""
    xs, ys = [spot.x for spot in spots] or [0.0], [spot.y for spot in spots] or [0.0]
    left, top = min(xs) - MARGIN - 40, min(ys) - MARGIN / 2
    width, height = max(xs) - left + MARGIN + 40, max(ys) - top + MARGIN / 2 + LINE
    grow = max(0.0, 420.0 - width)
    return left - grow / 2, top, width + grow, max(height, 150.0)


def _draw_arrows() -> str:
    marker = (
        '<marker id="to-{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="{1}" markerHeight="{1}"'
        ' markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6 7.4 4 0 7.4z" fill="var(--type-{0})"/></marker>'
    )
    return "<defs>" + "".join(marker.format(kind, ARROW) for kind in TYPES) + "</defs>"


def _draw_line(line: Line, spots: Sequence[Spot]) -> str:
    a, b = spots[line.start], spots[line.end]
    dx, dy = b.x - a.x, b.y - a.y
    far = math.hypot(dx, dy) or 1.0
    ux, uy = dx / far, dy / far
    mx, my = (a.x + b.x) / 2 - uy * line.bend, (a.y + b.y) / 2 + ux * line.bend
    x1, y1 = _leave(a, mx, my, 1.0)
    x2, y2 = _leave(b, mx, my, 3.0)
    name = line.type
    width = 1.0 + 0.7 * math.log2(1 + min(line.weight, 30.0))
    dash = f' stroke-dasharray="{DASHES[line.origin]}"' if DASHES.get(line.origin) else ""
    told = f"{a.label} → {b.label}: {line.type.replace('_', ' ')}, {line.origin}, weight {line.weight:g}"
    shown = (
        f'<path class="edge" d="M{x1:.1f} {y1:.1f}Q{mx:.1f} {my:.1f} {x2:.1f} {y2:.1f}"'
        f' stroke="var(--type-{name})" stroke-width="{width:.1f}"{dash} marker-end="url(#to-{name})">'
        f"<title>{escape(told)}</title></path>"
    )
    if line.weight == 1:
        return shown
    tx, ty = (x1 + x2) / 4 + mx / 2, (y1 + y2) / 4 + my / 2
    return shown + f'<text class="weight" x="{tx:.1f}" y="{ty + 3:.1f}">{line.weight:.3g}</text>'


def _leave(spot: Spot, x: float, y: float, gap: float) -> tuple[float, float]:
    """Where a line from a spot towards a point leaves its circle."""
    far = math.hypot(x - spot.x, y - spot.y) or 1.0
    out = min(spot.radius + gap, far)
    return spot.x + (x - spot.x) / far * out, spot.y + (y - spot.y) / far * out


def _draw_spot(spot: Spot, is_anchor: bool) -> str:
    ring = f'<circle class="ring" cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.radius + 4:.1f}"/>' if is_anchor else ""
    kind = "ghost" if spot.ghost else "node"
    fill = "" if spot.ghost else f' fill="var(--kind-{spot.kind})"'
    circle = f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.radius:.1f}"{fill}>'
    circle += f"<title>{escape(spot.about)}</title></circle>"
    return f'<g class="{kind}{" anchor" if is_anchor else ""}">{ring}{circle}</g>'


def _draw_names(spots: Sequence[Spot]) -> str:
    """The labels, each where it covers least: below, above, right or left of its node."""
    taken = [(spot.x - spot.radius, spot.y - spot.radius, spot.x + spot.radius, spot.y + spot.radius) for spot in spots]
    parts = []
    for at, spot in enumerate(spots):
        wide = LETTER * len(spot.label) * (1.12 if at == 0 else 1.0)
        far = spot.radius + (6 if at == 0 else 3)
        choices = [
            ("middle", spot.x, spot.y + far + 11, spot.x - wide / 2),
            ("middle", spot.x, spot.y - far - 4, spot.x - wide / 2),
            ("start", spot.x + far + 2, spot.y + 4, spot.x + far + 2),
            ("end", spot.x - far - 2, spot.y + 4, spot.x - far - 2 - wide),
        ]
        boxes = [(left, y - LINE + 4, left + wide, y + 4) for _, _, y, left in choices]
        best = min(range(4), key=lambda choice: (_cover(boxes[choice], taken), choice))
        anchor, x, y, _ = choices[best]
        taken.append(boxes[best])
        name = f'<text class="name" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(spot.label)}</text>'
        parts.append(f'<g class="anchor">{name}</g>' if at == 0 else name)
    return "".join(parts)


def _cover(box: tuple[float, float, float, float], taken: Sequence[tuple[float, float, float, float]]) -> float:
    left, top, right, bottom = box
    return sum(max(0.0, min(right, r) - max(left, x)) * max(0.0, min(bottom, b) - max(top, y)) for x, y, r, b in taken)


def _draw_legend(lines: Sequence[Line], box: tuple[float, float, float, float]) -> str:
    """The types and origins that occur, in one row below the picture."""
    x, y = box[0] + 16.0, box[1] + box[3] + LEGEND / 2
    parts = []
    for kind in sorted({line.type for line in lines}):
        parts.append(f'<path d="M{x:.0f} {y - 4:.0f}h16" stroke="var(--type-{kind})" stroke-width="2.5"/>')
        parts.append(f'<text class="key" x="{x + 21:.0f}" y="{y:.0f}">{kind.replace("_", " ")}</text>')
        x += 38 + 6.4 * len(kind)
    for origin in ("discovered", "mentioned"):
        if any(line.origin == origin for line in lines):
            parts.append(
                f'<path d="M{x:.0f} {y - 4:.0f}h20" stroke="var(--soft)" stroke-width="1.5"'
                f' stroke-dasharray="{DASHES[origin]}"/>'
            )
            parts.append(f'<text class="key" x="{x + 25:.0f}" y="{y:.0f}">{origin}</text>')
            x += 42 + 6.4 * len(origin)
    return "".join(parts)
