"""Token counts of the cl100k encoding. Counts only; it never splits and keeps no text.

The package's own entry point builds the rank tables of three encodings in Python (0.5 s). Only its compiled core is
loaded here, which counts alike and is ready in 30 ms.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Protocol

_ENCODING = "cl100k_base"
_CORE = "bpe_openai._bindings"
_SURROGATES = re.compile("[\ud800-\udfff]")


class _Counter(Protocol):
    def count(self, text: str) -> int: ...

    def count_till_limit(self, text: str, token_limit: int) -> int | None: ...


def count_tokens(text: str) -> int:
    """How many cl100k tokens `text` has. Lone surrogates count as U+FFFD. Linear in the text."""
    try:
        return _load_counter().count(text)
    except UnicodeEncodeError:
        return _load_counter().count(replace_surrogates(text))


def fits_limit(text: str, limit: int) -> bool:
    """Whether `text` has at most `limit` tokens; stops counting soon after the limit."""
    try:
        return _load_counter().count_till_limit(text, limit) is not None
    except UnicodeEncodeError:
        return _load_counter().count_till_limit(replace_surrogates(text), limit) is not None


def replace_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate: as long, and valid Unicode."""
    return _SURROGATES.sub("\ufffd", text)


@lru_cache(maxsize=1)
def _load_counter() -> _Counter:
    core = _load_core()
    counter: _Counter = core.tokenizer_for_encoding(_ENCODING)
    return counter


def _load_core() -> Any:
    """The compiled module alone; through the package where its layout is another one."""
    if _CORE in sys.modules:
        return sys.modules[_CORE]
    package = importlib.util.find_spec("bpe_openai")
    for folder in package.submodule_search_locations or () if package else ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder, f"_bindings{suffix}")
            if path.is_file():
                return _load_extension(path)
    return importlib.import_module(_CORE)


def _load_extension(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(_CORE, path)
    if spec is None or spec.loader is None:
        return importlib.import_module(_CORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[_CORE] = module
    return module
