"""Filters by source: the files, folders and origins of memories that are meant. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from remem.keys import strip_note_extension


def fold_path(path: str) -> str:
    """A path as it is compared: in any case, with either slash."""
    folded = unicodedata.normalize("NFC", path.replace("\\", "/").strip()).casefold()
    return folded.removeprefix("./").lstrip("/")


def fits_source(root: str, source: str, wanted: str) -> bool:
    """Whether a source is, ends in (by whole segments), or lies in the folder that was asked for (folded); the root's
    name may stand before it, a note's extension may be left out. Every source lies in ""."""
    path = fold_path(source)
    full = f"{fold_path(root)}/{path}" if root else path
    folder = wanted.rstrip("/")
    if not folder or any(place.startswith(folder + "/") for place in (path, full)):
        return True
    if wanted.endswith("/"):
        return f"/{folder}/" in f"/{full}"
    return any(f"/{place}".endswith(f"/{wanted}") for place in (full, strip_note_extension(full)))


def choose_sources(sources: Iterable[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """The sources of memories that fit one of those asked for, as `fits_source`; "" means memories without any."""
    given = set(wanted)
    folded = {path for path in map(fold_path, wanted) if path}
    return tuple(
        source for source in sources if source in given or (source and any(fits_source("", source, p) for p in folded))
    )
