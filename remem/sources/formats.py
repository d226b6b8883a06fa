"""Which files are notes: the formats by file extension, the default limits. Looks at names only, never at a file."""

from __future__ import annotations

import os
import re

from remem.datafiles import SETTINGS_FILE

FORMATS = {
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "txt": "text",
    "html": "html",
    "htm": "html",
    "yaml": "yaml",
    "yml": "yaml",
    "json": "json",
    "jsonl": "jsonl",
    "toml": "toml",
}
"""The formats that a compile reads, by extension."""

MAX_FILE_BYTES = 100_000_000

_SURROGATES = re.compile("[\ud800-\udfff]")


def find_format(name: str) -> str | None:
    """The format of a file name or source by its extension in any case; None for other files, for hidden ones and for
    Remem's settings."""
    name = name.rpartition("/")[2]
    if name.lower() == SETTINGS_FILE:  # they may hold the key of a service
        return None
    stem, dot, extension = name.rpartition(".")
    return FORMATS.get(extension.lower()) if dot and stem and not name.startswith(".") else None


def is_storable(name: str) -> bool:
    """Whether a name from the disk is valid Unicode; names of other bytes arrive with lone surrogates."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def find_other_name(name: str) -> str | None:
    """What a name from the disk is in UTF-8, where this process reads names by another encoding and so reads another
    one; None where it reads the same, or the name is no UTF-8."""
    if name.isascii():
        return None
    try:
        said = os.fsencode(name).decode()
    except UnicodeError:
        return None
    return None if said == name else said


def show_name(name: str) -> str:
    """The name with undecodable bytes and lone surrogates replaced, fit to be stored in a diagnostic."""
    return _SURROGATES.sub("\ufffd", name)
