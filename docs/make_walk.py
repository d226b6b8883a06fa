"""Draws pictures/walk.svg: the notes of docs/examples/walk as `remem graph Deploy --depth 3` draws them.

python docs/make_walk.py            draws it
python docs/make_walk.py --check    says whether it is stale (exit status 1)
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from remem import Remem
from remem.rendering.drawing.svg import draw_svg

PICTURE = TOP / "docs" / "pictures" / "walk.svg"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def draw_walk() -> str:
    """The drawing."""
    with tempfile.TemporaryDirectory() as folder, Remem.open_sync(Path(folder) / "memory.db") as remem:
        remem.compile(TOP / "docs" / "examples" / "walk")
        return draw_svg(remem.picture(["Deploy"], 3, 60)) + "\n"


def hide_places(svg: str) -> str:
    """A drawing as far as it is the same on every machine: coordinates differ in their last digits."""
    return NUMBER.sub("0", svg)


def is_stale(svg: str) -> bool:
    """Whether the picture that is there shows something else."""
    return not PICTURE.exists() or hide_places(PICTURE.read_text(encoding="utf-8")) != hide_places(svg)


def main(arguments: list[str]) -> int:
    """Draws the picture where it is stale, or with `--check` tells whether it is."""
    svg = draw_walk()
    if not is_stale(svg):
        return 0
    if "--check" in arguments:
        return 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
