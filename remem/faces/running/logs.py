"""What processes that serve tell on stderr: as text or as JSON, never with the message of an exception, which may hold
content. Decides nothing else."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from types import TracebackType
from typing import Any, Literal, TypeAlias

from remem.faces.wire.values import show_time

LogForm: TypeAlias = Literal["text", "json"]

OWN = "remem"


def start_log(level: str = "warning", form: LogForm = "text") -> None:
    """Sends what Remem has to say from `level` on to stderr, and warnings and errors of the packages that it uses.

    Below a warning those would repeat what clients send.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else PlaceFormatter("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger(OWN).setLevel(level.upper())


class PlaceFormatter(logging.Formatter):
    """Tells of an exception what and where, not its message."""

    def formatException(self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | Any) -> str:
        """The type and the places, outermost first."""
        return "".join([*traceback.format_tb(ei[2]), ei[0].__name__ if ei[0] else ""])


class JsonFormatter(PlaceFormatter):
    """A record as one object on a line: time, level, logger, message, and for an exception its places."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told = {
            "time": show_time(round(record.created * 1000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
