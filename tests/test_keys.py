"""Keys: what counts as the same label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.keys import exact_key, github_slug, loose_key, name_key, strict_key, strip_note_extension

SAME = [
    ("River Plan", "river  plan"),
    ("River\u00a0Plan", " River\tPlan\n"),
    ("Plan\u200b", "Plan"),
    ("\u200f\u062e\u0637\u0629", "\u062e\u0637\u0629"),
    ("Plan\ufeff", "\u2067plan\u2069"),
    ("\u2699\ufe0f Setup", "\u2699 setup"),
    ("\U0001f469\u200d\U0001f680", "\U0001f469\U0001f680"),
    ("Gr\u00f6\u00dfe", "GRO\u0308SSE"),
    ("caf\u00e9", "cafe\u0301"),
    ("\u1fb3", "\u03b1\u0345"),
    ("What now\u037e", "what now;"),
    ("# Costs", "Costs"),
    ("**Bold** and `code`", "bold and code"),
    ("***both***", "both"),
    ("==marked== ~~gone~~", "marked gone"),
    ("_Notes_ on x", "notes on x"),
]
DIFFERENT = [
    ("x²", "x2"),
    ("A*", "A"),
    ("2 * 3", "2 3"),
    ("snake_case_name", "snakecasename"),
    ("C#", "C"),
    ("#tag", "tag"),
    ("a-b", "a b"),
    ("!!!", "???"),
    ("\u307e\u3068\u3081", "\u603b\u7ed3"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_labels_that_look_the_same_have_one_key(one: str, other: str) -> None:
    assert strict_key(one) == strict_key(other)
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_labels_that_differ_have_different_keys(one: str, other: str) -> None:
    assert strict_key(one) != strict_key(other)


@pytest.mark.parametrize(
    "label", ["\u307e\u3068\u3081", "\U0001f9e0", "???", "\u0438", "---", "__", "\u200b", "***", "# "]
)
def test_a_label_that_is_not_blank_has_a_key(label: str) -> None:
    assert strict_key(label)
    assert loose_key(label)


def test_the_loose_key_takes_dash_underscore_and_space_as_equal() -> None:
    assert loose_key("my-note_of  all") == loose_key("My Note-Of_All") == "my note of all"
    assert loose_key("---") == "---"


def test_the_exact_key_keeps_case_and_markup() -> None:
    assert exact_key(" Note\u200b  One ") == "Note One"
    assert exact_key("note") != exact_key("Note")
    assert exact_key("__init__") == "__init__"


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("folder/My-Note.md", "my note"),
        ("folder/", "folder"),
        ("a/b//", "b"),
        ("", ""),
        ("/", ""),
        ("J.R. Reed", "j.r. reed"),
        ("3.2 Budget.MD", "3.2 budget"),
        ("notes.json.md", "notes"),
        ("rates.tsv", "rates.tsv"),
        ("x/.md", ".md"),
        ("TCP/IP", "ip"),
    ],
)
def test_names_are_indexed_by_the_last_segment_without_its_extension(label: str, key: str) -> None:
    assert name_key(label) == key


@pytest.mark.parametrize(
    ("text", "stem"),
    [("a.md", "a"), ("a.b.HTML", "a.b"), ("memo.ab", "memo.ab"), (".md", ".md"), ("d/.md", "d/.md"), ("md", "md")],
)
def test_only_a_known_extension_is_left_out(text: str, stem: str) -> None:
    assert strip_note_extension(text) == stem


@pytest.mark.parametrize(
    ("label", "slug"),
    [
        ("What's new?", "whats-new"),
        ("Costs & fees", "costs--fees"),
        ("  oven.door (v2) ", "ovendoor-v2"),
        ("\u2699\ufe0f Setup", "-setup"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940 x", "\u0939\u093f\u0928\u094d\u0926\u0940-x"),
        ("\u77e5\u8bc6 \u56fe\u8c31", "\u77e5\u8bc6-\u56fe\u8c31"),
        ("snake_case", "snake_case"),
    ],
)
def test_slugs_are_those_of_github(label: str, slug: str) -> None:
    assert github_slug(label) == slug


LABELS = st.text(st.sampled_from("aAbB \t-_*`~=#./\u00e9e\u0301\u00df\u200b\ufe0f\u0345\u0130"), max_size=12)


@given(LABELS)
def test_a_key_is_its_own_key(label: str) -> None:
    for make in (strict_key, loose_key):
        key = make(label)
        assert make(key) == key or "*" in key or "`" in key or "~" in key or "=" in key or "_" in key or "#" in key


@given(LABELS, LABELS)
def test_equal_keys_lie_under_one_name_key(one: str, other: str) -> None:
    if strict_key(one) == strict_key(other):
        assert name_key(one) == name_key(other)
        assert loose_key(one) == loose_key(other)


@pytest.mark.parametrize(
    "text", ["*" * 50_000, "*a" * 50_000, "_ a" * 30_000, "`" * 50_000, "=a" * 50_000, "# " * 30_000]
)
def test_marks_without_end_cost_no_more_than_other_text(text: str) -> None:
    assert strict_key(text)
