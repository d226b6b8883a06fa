"""The SVG picture in an HTML file of its own: it can be moved and zoomed, and a list says the same in words. Pure."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from remem.records import Picture
from remem.rendering.drawing.palette import make_style
from remem.rendering.drawing.svg import clean, draw_svg
from remem.rendering.lines import show_count

STYLE = """
html,body{margin:0;block-size:100%}
body{display:grid;grid-template-columns:1fr minmax(260px,360px);background:var(--ground);color:var(--ink);
font:14px/1.5 ui-sans-serif,system-ui,sans-serif}
#picture{inline-size:100%;block-size:100vh;cursor:grab;touch-action:none}#picture:active{cursor:grabbing}
aside{overflow:auto;max-block-size:100vh;border-inline-start:1px solid var(--edge);background:var(--raised);
padding:20px 22px;box-sizing:border-box}
h1{font-size:19px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}p{color:var(--soft);margin:0 0 14px}
ul{list-style:none;margin:0;padding:0}li{padding:5px 0;border-block-start:1px solid var(--edge);overflow-wrap:anywhere}
small{color:var(--soft)}
@media(max-width:720px){
body{grid-template-columns:1fr}#picture{block-size:62vh}aside{max-block-size:none;border:0}}
"""
SCRIPT = """
const svg=document.getElementById("picture"),view=svg.viewBox.baseVal;
const home=[view.x,view.y,view.width,view.height];
let from=null;
const find=e=>new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse());
svg.addEventListener("pointerdown",e=>{from=find(e);svg.setPointerCapture(e.pointerId)});
svg.addEventListener("pointerup",()=>{from=null});
svg.addEventListener("pointermove",e=>{if(!from)return;const to=find(e);view.x+=from.x-to.x;view.y+=from.y-to.y});
svg.addEventListener("wheel",e=>{e.preventDefault();const p=find(e),k=e.deltaY>0?1.15:1/1.15;
view.x=p.x-(p.x-view.x)*k;view.y=p.y-(p.y-view.y)*k;view.width*=k;view.height*=k},{passive:false});
svg.addEventListener("dblclick",()=>{[view.x,view.y,view.width,view.height]=home});
"""


def draw_page(picture: Picture) -> str:
    """The whole file. Nothing is fetched, and nothing but its own script can run."""
    style = make_style() + STYLE
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_hash(SCRIPT)}'; base-uri 'none';"
        " form-action 'none'"
    )
    title = clean(picture.nodes[0].label, 200) if picture.nodes else "An empty graph"
    shown = f"{show_count(len(picture.nodes), 'node')}, {show_count(len(picture.edges), 'edge')}"
    more = f"; {show_count(picture.left_out, 'more node was', 'more nodes were')} left out" if picture.left_out else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>{draw_svg(picture, alone=False)}"
        f'<aside><h1 dir="auto">{escape(title)}</h1><p>{shown}{more}.</p><ul>{_list_edges(picture)}</ul></aside>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _list_edges(picture: Picture) -> str:
    labels = {node.id: clean(node.label, 120) or node.id for node in picture.nodes}
    edges = sorted(picture.edges, key=lambda edge: -edge.weight)
    rows = [
        f"<li><bdi>{escape(labels[edge.source_id])}</bdi> → <bdi>{escape(labels[edge.target_id])}</bdi> "
        f"<small>{edge.relationship_type.replace('_', ' ')}, {edge.origin}, {edge.weight:g}</small></li>"
        for edge in edges
    ]
    rows += [
        f"<li><bdi>{escape(labels[ghost.source_id])}</bdi> → <bdi>{escape(clean(ghost.label, 120))}</bdi> "
        "<small>waits to be written</small></li>"
        for ghost in picture.ghosts
    ]
    return "".join(rows)


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
