"""Ids and hashes: the id of a compiled node, the hash of a text, the digest of a node's state."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [a + b for a in _BASE62 for b in _BASE62]


def encode_id(number: int) -> str:
    """Eleven base62 characters for an unsigned 64-bit number."""
    number, p0 = divmod(number, 3844)
    number, p1 = divmod(number, 3844)
    number, p2 = divmod(number, 3844)
    number, p3 = divmod(number, 3844)
    high, p4 = divmod(number, 3844)
    return _BASE62[high % 62] + _PAIRS[p4] + _PAIRS[p3] + _PAIRS[p2] + _PAIRS[p1] + _PAIRS[p0]


def node_id(root: str, source: str, path: Sequence[str], kind: str, content: str, ordinal: int) -> str:
    """The id that a node gets when it is first seen: root name, source, labels of the headings above it, kind, content,
    and which of several equal ones it is."""
    text = "\x00".join((root, source, "\x1f".join(path), kind, content, str(ordinal)))
    return encode_id(int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"))


def text_hash(text: str) -> bytes:
    """The 16-byte hash under which an old text is kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def path_hash(path: Sequence[str]) -> bytes:
    """The 8-byte hash of a path of heading labels."""
    return blake2b("\x1f".join(path).encode("utf-8", "surrogatepass"), digest_size=8).digest()
