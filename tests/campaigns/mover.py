"""A process that moves whole stores until it is killed: migrates one copy of an old store after the other, or puts two
backups in the place of a store by turns. On stdout, a JSON line each: `begin` and `done` with the number of the turn.

`python -m tests.campaigns.mover migrate FOLDER` or `... restore STORE BACKUP BACKUP`.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import sys
from pathlib import Path

from remem import Remem
from tests.campaigns.actor import tell
from tests.campaigns.old_stores import OLD


def migrate(folder: str) -> None:
    """Brings copies of the old store up to date: 0.db, 1.db …"""
    for number in itertools.count():
        path = Path(folder) / f"{number}.db"
        shutil.copy(OLD, path)
        tell(say="begin", turn=number)
        asyncio.run(Remem.migrate(path))
        tell(say="done", turn=number)


def restore(store: str, *backups: str) -> None:
    """Puts the backups back by turns."""
    for number in itertools.count():
        tell(say="begin", turn=number)
        asyncio.run(Remem.restore(store, backups[number % len(backups)]))
        tell(say="done", turn=number)


if __name__ == "__main__":
    tell(say="ready")
    if sys.argv[1] == "migrate":
        migrate(sys.argv[2])
    else:
        restore(*sys.argv[2:])
