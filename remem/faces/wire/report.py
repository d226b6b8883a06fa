"""How errors are reported: the one table from the code of an error to the exit status."""

from __future__ import annotations

from typing import NamedTuple

from remem.errors import RememError


class Report(NamedTuple):
    """How faces report an error: the exit status of the command line."""

    exit_status: int


DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
_FAILED, _WRONG_USAGE = Report(FAILED), Report(WRONG_USAGE)
REPORTS: dict[str, Report] = {
    "error": _FAILED,
    "invalid_input": _WRONG_USAGE,
    "not_found": _FAILED,
    "ambiguous": _FAILED,
    "conflict": _FAILED,
    "refused": _FAILED,
    "config": _WRONG_USAGE,
    "store": _FAILED,
    "store_newer": _FAILED,
    "store_busy": _FAILED,
    "store_read_only": _FAILED,
    "store_full": _FAILED,
    "store_corrupt": _FAILED,
    "embedder": _FAILED,
}


def find_report(error: RememError) -> Report:
    """How an error is reported; a code without an entry is a failed request."""
    return REPORTS.get(error.code, _FAILED)
