"""YAML and TOML as all readers here take them: the parser, its faults, and what it is never given. Reads nothing."""

from __future__ import annotations

import re

import yaml

YAML_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
FAULTS = (yaml.YAMLError, ValueError, RecursionError)
"""The reader in C cannot encode lone surrogates, the one in Python recurses; TOML raises ValueError for all else."""
NULLS = frozenset(("", "~", "null", "Null", "NULL"))
MAX_SECTIONS = 1000
"""So many keys of a text that is refused as a whole are read by themselves."""

_MAX_NESTING = 200
_BRACKET = re.compile(r"[\[\]{}]")
_INDENT = re.compile(r"^[ \t?:-]{201}", re.MULTILINE)
_MAX_DOTS = 64
_SPACES = re.compile(r"[ \t]+")
_DOTTED = re.compile(r"[\w\-\"'.]+")


def check_nesting(text: str) -> None:
    """Raise ValueError where a YAML text may be nested so deep that the parser takes too long or its own stack would
    not hold it."""
    depth = deepest = 0
    for mark in _BRACKET.findall(text):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > _MAX_NESTING or _INDENT.search(text):
        raise ValueError


def check_dots(text: str) -> None:
    """Raise ValueError where a key of a TOML text may have many parts: the parser would take quadratic time."""
    if any(word.count(".") > _MAX_DOTS for word in _DOTTED.findall(_SPACES.sub("", text))):
        raise ValueError
