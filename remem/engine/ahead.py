"""Loads what the first callers of a server would wait for. Calls load their modules when they are made first, which
suits a command that makes one."""

from __future__ import annotations

import threading
from importlib import import_module

USED = (
    "remem.writing.memories",
    "remem.ingest.parse",
    "remem.writing.mentions",
    "remem.reading.answers",
    "remem.search.service",
    "remem.reading.related",
    "remem.graph.memory.keeper",
    "remem.background.worker",
)
"""What most callers use."""


def load_ahead() -> None:
    """Begins to load it, on a thread that keeps no process from ending."""
    threading.Thread(target=lambda: [import_module(name) for name in USED], name="remem loading", daemon=True).start()
