"""Disks that fill up: a limit of SQLite's own on the pages of a store, and a small disk in memory where one may be
mounted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from remem.engine.sync import RememSync

if TYPE_CHECKING:
    from sqlite3 import Connection

UNLIMITED = 1_000_000_000


def limit_pages(remem: RememSync, spare: int | None) -> None:
    """Lets an open store grow by so many pages and no more (None: as it likes)."""

    def limit(connection: Connection) -> None:
        used = connection.execute("PRAGMA page_count").fetchone()[0]
        most = UNLIMITED if spare is None else used + spare
        connection.execute(f"PRAGMA max_page_count = {most:d}").fetchall()

    remem._run(remem._remem.storage.run_outside(limit))


class SmallDisk:
    """A disk in memory at a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def set_size(self, kilobytes: int) -> None:
        """Makes it larger or smaller."""
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", self.folder], check=True, capture_output=True)

    def set_writable(self, writable: bool) -> None:
        """Lets nobody write to it, or everybody again. Raises CalledProcessError while a file on it is open."""
        subprocess.run(
            ["mount", "-o", f"remount,{'rw' if writable else 'ro'}", self.folder], check=True, capture_output=True
        )


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[SmallDisk | None]:
    """A new disk of that size; None where this process may not mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    allowed = sys.platform == "linux" and os.geteuid() == 0
    if not allowed or subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
