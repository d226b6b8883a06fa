"""Packages that hand out the names of their modules: each module is imported when the first name of it is used, since
making classes takes longer than the rest of a short command. Their `__init__.pyi` says the same names to readers of
types."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple


class HandedOut(NamedTuple):
    """The names of a package in order, and what Python calls for one that is not there yet and to list them."""

    names: list[str]
    get: Callable[[str], object]
    list_all: Callable[[], list[str]]


def hand_out(package: str, modules: Mapping[str, str]) -> HandedOut:
    """What a package hands out that is made of these modules, each with its names (parted by spaces)."""
    homes = {name: module for module, names in modules.items() for name in names.split()}
    found = vars(sys.modules[package])

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = found[name] = getattr(import_module(f"{package}.{homes[name]}"), name)
        return value

    return HandedOut(sorted(homes), get, lambda: sorted({*found, *homes}))
