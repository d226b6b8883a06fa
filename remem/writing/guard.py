"""The guard: takes secrets out of what calls give, before anything is parsed or kept. Knows no store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypeVar

from remem.errors import InvalidInputError
from remem.ingest.memories import hash_memory
from remem.redaction.redactor import Redactor

T = TypeVar("T")

_COST = {"n": 1 << 13, "r": 8, "p": 1, "dklen": 16}


class Guard:
    """What keeps secrets out: a redactor (None: nothing is redacted), and the salt of the store."""

    def __init__(self, redactor: Redactor | None = None, salt: bytes = b"") -> None:
        self.redactor = redactor
        self._salt = salt

    def clean(self, text: str) -> str:
        """A text without its secrets."""
        return text if self.redactor is None else self.redactor.clean(text)

    def hash_text(self, given: str, cleaned: str) -> bytes:
        """The hash under which a text is known, taken of the text as it was given.

        Where it held a secret, the hash is salted and slow: a plain one would let whoever has the file guess a short
        secret, the rest of the text being there to read.
        """
        if given == cleaned:
            return hash_memory(given)
        return hashlib.scrypt(given.encode("utf-8", "surrogatepass"), salt=self._salt, **_COST)

    def refuse(self, field: str, text: str) -> None:
        """Raises InvalidInputError where a text that cannot be redacted, like an id, holds a secret."""
        if self.clean(text) != text:
            raise InvalidInputError(f"{field} holds a secret; choose another one", field=field)

    def clean_json(self, value: T) -> T:
        """A JSON value whose texts hold no secrets; its depth must have been checked."""
        return value if self.redactor is None else _clean_json(self.redactor, value)


OPEN = Guard()
"""Lets everything pass."""


def _clean_json(redactor: Redactor, value: T) -> T:
    cleaned: object = value
    if isinstance(value, str):
        cleaned = redactor.clean(value)
    elif isinstance(value, Mapping):
        cleaned = {redactor.clean(str(name)): _clean_field(redactor, str(name), inner) for name, inner in value.items()}
    elif isinstance(value, (list, tuple)):
        cleaned = [_clean_json(redactor, inner) for inner in value]
    return cleaned  # type: ignore[return-value]


def _clean_field(redactor: Redactor, name: str, value: object) -> object:
    """The value of a field; one whose name says that it is a secret is one."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return redactor.clean_field(name, value)
    return _clean_json(redactor, value)
