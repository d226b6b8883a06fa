"""How errors are reported: the one table from the code of an error to the exit status and the HTTP status."""

from __future__ import annotations

from typing import NamedTuple

from remem.errors import RememError


class Report(NamedTuple):
    """How faces report an error: the exit status of the command line, the status of an HTTP answer."""

    exit_status: int
    http_status: int


DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
REPORTS: dict[str, Report] = {
    "error": Report(FAILED, 500),
    "invalid_input": Report(WRONG_USAGE, 422),
    "not_found": Report(FAILED, 404),
    "ambiguous": Report(FAILED, 409),
    "conflict": Report(FAILED, 409),
    "refused": Report(FAILED, 403),
    "config": Report(WRONG_USAGE, 500),
    "store": Report(FAILED, 503),
    "store_newer": Report(FAILED, 503),
    "store_busy": Report(FAILED, 503),
    "store_read_only": Report(FAILED, 503),
    "store_full": Report(FAILED, 503),
    "store_corrupt": Report(FAILED, 503),
    "embedder": Report(FAILED, 503),
    "request": Report(FAILED, 400),
    "malformed": Report(FAILED, 400),
    "unauthorized": Report(FAILED, 401),
    "forbidden": Report(FAILED, 403),
    "method_not_allowed": Report(FAILED, 405),
    "timeout": Report(FAILED, 408),
    "too_large": Report(FAILED, 413),
    "unsupported_media_type": Report(FAILED, 415),
    "rate_limited": Report(FAILED, 429),
    "shutting_down": Report(FAILED, 503),
}


def find_report(error: RememError) -> Report:
    """How an error is reported; a code without an entry is a failed request."""
    return REPORTS.get(error.code, REPORTS["error"])
