"""Lists in statements: keys, ids and tags go in as one JSON array, which `json_each` takes apart."""

from __future__ import annotations

from collections.abc import Iterable

import orjson


def json_list(values: Iterable[object]) -> str:
    """A JSON array of values."""
    return orjson.dumps(list(values)).decode()
