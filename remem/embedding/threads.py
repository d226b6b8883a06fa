"""How the process computes vectors: with one BLAS thread (two on busy cores cost five times the processor time), in
memory that it keeps. Nothing else."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

KEPT_BYTES, LARGEST_KEPT = 64 << 20, 32 << 20
"""So much freed memory is kept at most, in pieces of up to the second."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's mallopt

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


@cache
def keep_memory() -> None:
    """Has the C library keep the memory of a step for the next one. By default glibc gives large arrays back to the
    system, which clears them before it gives them again: a fourth of the time. Other libraries are left as they are."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            library.mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
            library.mallopt(_MMAP_THRESHOLD, LARGEST_KEPT)
