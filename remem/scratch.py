"""Folders for the time of a call, which hold copies of notes: they are gone after it, however it ends. It puts nothing
into them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def make_scratch(name: str) -> Iterator[Path]:
    """A new folder `remem-NAME-…` among the temporary ones, taken away at the end.

    What cannot be removed is no error, so that the one which ended the call is told. Threads that write into it have to
    end before.
    """
    folder = tempfile.mkdtemp(prefix=f"remem-{name}-")
    try:
        yield Path(folder)
    finally:
        remove_folder(folder)


def remove_folder(folder: str) -> None:
    """Takes a folder away with all in it, if need be in a second go: the first may be interrupted, or meet a file that
    was written meanwhile."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        if os.path.lexists(folder):
            shutil.rmtree(folder, ignore_errors=True)
