"""Standalone pictures: valid, safe whatever labels say, the same each time."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem import Remem
from remem.records import Ghost, GraphEdge, Picture, PictureNode
from remem.rendering.drawing.page import draw_page
from remem.rendering.drawing.svg import MOST_GHOSTS, draw_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "]]><svg onload=alert(1)>",
    "a & b < c > d \"e\" 'f'",
    "</title></svg><script>1</script>", "line\none\ttwo", "\x00\x01\x0b\x1b[31m\x7f\x9f", "\ufffe\uffff",
    "\u202eright to left\u202c", "مرحبا بالعالم", "👩\u200d👩\u200d👧 🇳🇴", "x" * 10_000, "", " ", "--> <!-- -->",
    "&#x3c;script&#x3e;", "{{7*7}}",
]  # fmt: skip


def make_node(id: str, label: str, kind: str = "document", parent: str = "") -> PictureNode:
    return PictureNode(id, kind, label, "notes", "a.md", parent, 2, 10, 0.5, False, 0, 0, (), None, None)


def make_picture(labels: list[str], ghosts: int = 0, left_out: int = 0) -> Picture:
    """The first label in the middle, joined with all others there and back."""
    nodes = tuple(make_node(f"n{number}", label) for number, label in enumerate(labels))
    edges = tuple(
        edge
        for node in nodes[1:]
        for edge in (
            GraphEdge("n0", node.id, "caused_by", "manual", 2.5, "n0", node.id),
            GraphEdge(node.id, "n0", "references", "mentioned", 1.0, node.id, "n0"),
        )
    )
    waiting = tuple(Ghost(f"ghost {number} <b>", "n0", "references", 1.0, 1) for number in range(ghosts))
    return Picture(nodes, edges, waiting, len(nodes), len(edges), left_out, 1, 1)


class Reader(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script" and self.cdata_elem == "script":
            self.scripts += data


def check_svg(text: str) -> ElementTree.Element:
    """The root of a picture that is XML, and holds nothing that could run or be fetched."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == f"{SVG}svg"
    allowed = {"svg", "style", "defs", "marker", "path", "rect", "g", "circle", "title", "text"}
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in allowed
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on") and "href" not in name.lower()
            assert "nan" not in value.lower() or name in ("aria-label", "font-family"), (name, value)
    return root


def list_texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("label", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_labels_say_is_text(label: str) -> None:
    picture = make_picture([label, "plain", label])
    check_svg(draw_svg(picture))
    page = Reader(draw_page(picture))
    plain = Reader(draw_page(make_picture(["a", "plain", "b"])))
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert page.scripts == plain.scripts
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


@given(st.lists(st.text(st.characters(), max_size=30), min_size=1, max_size=4))
def test_any_labels_make_a_picture_that_is_xml(labels: list[str]) -> None:
    check_svg(draw_svg(make_picture(labels)))


def test_edges_are_told_with_direction_type_origin_and_weight() -> None:
    root = check_svg(draw_svg(make_picture(["Middle", "Other"])))
    told = [element.text for element in root.iter(f"{SVG}title")]
    assert "Middle → Other: caused by, manual, weight 2.5" in told
    assert "Other → Middle: references, mentioned, weight 1" in told
    lines = [element for element in root.iter(f"{SVG}path") if element.get("class") == "edge"]
    assert [line.get("marker-end") for line in lines] == ["url(#to-caused_by)", "url(#to-references)"]
    assert [line.get("stroke-dasharray") for line in lines] == [None, "2 4"]
    assert lines[0].get("d") != lines[1].get("d")
    texts = list_texts(root)
    assert "2.5" in texts and {"Middle", "Other", "caused by", "references", "mentioned"} <= set(texts)


def test_the_same_picture_is_drawn_the_same() -> None:
    picture = make_picture([f"node {number}" for number in range(30)], ghosts=3)
    assert draw_svg(picture) == draw_svg(picture) and draw_page(picture) == draw_page(picture)


@pytest.mark.parametrize("labels", [[], ["alone"]], ids=["nobody", "one"])
def test_few_nodes_make_a_picture_too(labels: list[str]) -> None:
    root = check_svg(draw_svg(make_picture(labels)))
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    assert width >= 100 and height >= 100
    assert "0 edges" in draw_page(make_picture(labels))


def test_all_that_is_drawn_lies_within_the_picture() -> None:
    root = check_svg(
        draw_svg(make_picture([f"a rather long label, number {number}" for number in range(60)], ghosts=9))
    )
    left, top, width, height = map(float, (root.get("viewBox") or "").split())
    for circle in root.iter(f"{SVG}circle"):
        x, y, radius = (float(circle.get(name) or "nan") for name in ("cx", "cy", "r"))
        assert left <= x - radius and x + radius <= left + width and top <= y - radius and y + radius <= top + height


def test_many_ghosts_are_cut_and_it_is_said_what_was_left_out() -> None:
    picture = make_picture(["Middle"], ghosts=200, left_out=4_900)
    assert draw_svg(picture).count('class="ghost"') == MOST_GHOSTS
    assert "4900 more nodes were left out" in draw_page(picture)


def test_a_page_lets_nothing_but_its_own_script_run() -> None:
    text = draw_page(make_picture(["Middle", "Other"]))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and "default-src 'none'" in policy[1] and "script-src 'sha256-" in policy[1]
    assert len(re.findall("<script", text)) == 1 and "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_picture_of_a_store_shows_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "Deploy.md").write_text("# Deploy\n\n[[Keys; w=3]] and [[Later]]\n", encoding="utf-8")
    (tmp_path / "Keys.md").write_text("# Keys\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.compile(tmp_path)
        texts = list_texts(check_svg(draw_svg(remem.picture(["Deploy"]))))
    assert {"Deploy", "Keys", "Later", "3"} <= set(texts)
