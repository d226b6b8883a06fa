"""Values as nobody should give them, and values of a JSON schema, right and wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HOSTILE_TEXTS = (
    "", " ", "\n", "\x00", "a\x00b", "\ud800", "\udfff", "\ufeff", "\u202e", "\u037e", "e\u0301", "ﬀ", "İ", "ß",
    "🏳️‍🌈", "../../etc/passwd", "/etc/passwd", "C:\\x", "a/../../b", "[[", "]]", "[[x]]", "[[#]]", "[[|]]", "[[;]]",
    "nothing", "NaN", "null", "-1", "1e999", "0x10", "'", '"', "';--", "%s", "{0}", "${x}", "<b>", "]]>", "\\", "`",
    "AND", "OR (", '"open', "NEAR(", "*", "a*", "^", ":", "-", "(", "a" * 5000, "[" * 3000, "é" * 300,
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(HOSTILE_TEXTS), st.text(max_size=20))
NUMBERS = st.one_of(
    st.integers(-5, 10),
    st.sampled_from((2**31, 2**63, 2**64, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324)),
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
"""Anything that JSON can hold."""
ODD = st.one_of(JSON, st.sampled_from((float("nan"), float("inf"), b"bytes", object, {1, 2}, (1, "a"), range(3))))
"""Anything that Python can hold."""


def make_value(schema: dict[str, Any], known: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """A value of a schema, more often than not; texts may be one of those that are `known` to name something."""
    right = _make_right(schema, known)
    return st.one_of(right, right, right, JSON)


def _make_right(schema: dict[str, Any], known: tuple[str, ...]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(_make_right(option, known) for option in schema["anyOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of(*(_make_right({**schema, "type": one}, known) for one in kind))
    if kind == "integer":
        least = schema.get("minimum", -3)
        return st.integers(least, min(schema.get("maximum", max(12, least + 100)), 10**6))
    if kind == "number":
        return st.one_of(st.floats(0, 3), NUMBERS)
    if kind == "boolean":
        return st.booleans()
    if kind == "array":
        return st.lists(make_value(schema.get("items", {}), known), max_size=3)
    if kind == "object":
        return st.dictionaries(st.sampled_from(("content", "name", "entities", "x")), JSON, max_size=2)
    return st.one_of(st.sampled_from(known), TEXTS)


def make_arguments(schema: dict[str, Any], known: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a tool: the required ones more often than not, others now and then, unknown ones seldom."""
    fields = {name: make_value(field, known) for name, field in schema.get("properties", {}).items()}
    needed = {name: fields[name] for name in schema.get("required", ()) if name in fields}
    others = {name: value for name, value in fields.items() if name not in needed}
    whole = st.fixed_dictionaries(needed, optional=others)
    return st.one_of(whole, whole, st.fixed_dictionaries({}, optional={**fields, "unknown": JSON}))
