"""Which folders a call from outside may compile: those of the settings and the roots of the store, and what lies in
them. It reads links, never files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from remem.errors import RefusedError
from remem.records import Root


def find_place(path: str, allowed: Iterable[str], roots: Sequence[Root]) -> Path:
    """The real path that `path` means, all links followed: absolute, or `root/…` by the name of a root, or relative to
    the working directory. It may not exist.

    Raises RefusedError where that is in none of the `allowed` folders or roots. Nothing outside of them is told apart:
    what exists there is refused as what does not.
    """
    places = [_resolve(folder) for folder in (*allowed, *(root.path for root in roots))]
    real = _resolve(_expand_root(path, roots))
    if any(real == place or place in real.parents for place in places):
        return real
    names = ", ".join(f"{root.name} ({root.path})" for root in roots) or "none"
    raise RefusedError(
        f"{path[:200]} is outside of what may be compiled here. Roots of the store: {names}. Others need a line in the"
        " setting [compile] roots, or `remem compile` by the user",
        path=path,
    )


def _expand_root(path: str, roots: Sequence[Root]) -> str:
    first, _, rest = path.replace("\\", "/").partition("/") if not os.path.isabs(path) else (path, "", "")
    place = next((root.path for root in roots if root.name == first), None)
    return path if place is None else os.path.join(place, *rest.split("/"))


def _resolve(path: str) -> Path:
    return Path(os.path.realpath(path))
