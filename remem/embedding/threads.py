"""One BLAS thread while vectors are computed: two on busy cores cost five times the processor time. Nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside = 0
_limiter: Any = None


@contextmanager
def limit_blas() -> Iterator[None]:
    """Within, numpy's matrix products use one thread each. The limit is the process's own: the first who comes sets it,
    the last who leaves lifts it, so calls from several threads do not undo each other's."""
    global _inside, _limiter
    with _lock:
        if _inside == 0:
            _limiter = _find_libraries().limit(limits=1, user_api="blas")
            _limiter.__enter__()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limiter.__exit__(None, None, None)


@cache
def _find_libraries() -> Any:
    import numpy  # noqa: F401  # its BLAS has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
