"""Lists of words as callers give them; an error calls fields what the caller calls them, and touches nothing else."""

from __future__ import annotations

import pytest

from remem.checks import check_words, rename_fields
from remem.errors import ConflictError, InvalidInputError, RememError

NAMES = {"since": "since_snapshot", "mode": "--mode", "target": "target_id"}
RENAMED = [
    ("since must be text", "since", "since_snapshot must be text", "since_snapshot"),
    ("since[2] must be text", "since[2]", "since_snapshot[2] must be text", "since_snapshot[2]"),
    ("give either `target` or `label`", "target", "give either `target_id` or `label`", "target_id"),
    ("x is bad; use `mode=cascade`", None, "x is bad; use `--mode cascade`", None),
    ("mode must be one of a, b, not 'target'", "mode", "--mode must be one of a, b, not 'target'", "--mode"),
    ("sincere is wrong", "since", "sincere is wrong", "since_snapshot"),
    ("depth must be since", "depth", "depth must be since", "depth"),
    ("`target list` shows the target", None, "`target list` shows the target", None),
]


@pytest.mark.parametrize(("message", "field", "told", "named"), RENAMED)
def test_a_field_is_called_what_the_caller_calls_it(
    message: str, field: str | None, told: str, named: str | None
) -> None:
    facts = {} if field is None else {"field": field}
    renamed = rename_fields(InvalidInputError(message, **facts, item=3), NAMES)
    assert (renamed.message, renamed.facts.get("field"), renamed.facts["item"]) == (told, named, 3)


def test_the_kind_of_the_error_stays_and_one_without_fields_is_the_same() -> None:
    assert type(rename_fields(ConflictError("use `mode=x`", id="a"), NAMES)) is ConflictError
    plain = RememError("target")
    assert rename_fields(plain, NAMES) is plain


def test_the_words_of_a_set_have_one_order_whatever_the_process() -> None:
    words = [f"w{number:02}" for number in range(40)]
    assert check_words("tags", set(words)) == check_words("tags", frozenset(reversed(words))) == tuple(words)
    assert check_words("tags", ["b", "a", "b"]) == ("b", "a", "b")
    assert check_words("tags", "a, b") == ("a, b",)
    for wrong in ({"a": 1}, 3, ["a", 3], {"a", 3}, None):
        with pytest.raises(InvalidInputError, match=r"^tags must be a list of texts"):
            check_words("tags", wrong)
