"""Comments between two `%%`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.ingest.comments import find_comments
from tests.guard import guard_hang

CASES = {
    "%% ![[Ada#Thanks]] %%\n%%\nblock [[Hidden]]\n%%\n100 %% of [[Shown]] is odd": [
        "%% ![[Ada#Thanks]] %%",
        "%%\nblock [[Hidden]]\n%%",
    ],
    "a %% b %% c %% d %% e": ["%% b %%", "%% d %%"],
    "%%start\nhidden\nend %% shown": ["%%start\nhidden\nend %%"],
    "text %%\n\nhidden\n\n%% text": ["%%\n\nhidden\n\n%%"],
    "%%\n%% inner %%\n%%\nshown": ["%%\n%% inner %%\n%%"],
    "%%a\n%%b\n%%c": ["%%a\n%%"],
    "%% a\nb %% c %% d %%": ["%% a\nb %%", "%% d %%"],
    "%%%%": ["%%%%"],
    "100 %% of\n50 %% of": [],
    "%%": [],
    "%%%": [],
    "50 % and 100 %": [],
    "": [],
}


@pytest.mark.parametrize("text", CASES)
def test_comments_are_pairs_and_a_lone_mark_opens_nothing(text: str) -> None:
    assert [text[start:end] for start, end in find_comments(text)] == CASES[text]


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("%%%a \n"), max_size=60))
def test_comments_are_in_order_and_never_overlap(text: str) -> None:
    done = 0
    for start, end in find_comments(text):
        assert done <= start < end <= len(text)
        assert text[start : start + 2] == text[end - 2 : end] == "%%"
        done = end


HOSTILE = {
    "marks": ("%%" * 100_000, 50_000),
    "lines of marks": ("%%\n" * 60_000, 30_000),
    "lone marks": ("x %% y\n" * 40_000, 0),
    "marks across lines": ("%%\na %% b\n" * 20_000 + "%%", 20_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    text, count = HOSTILE[name]
    with guard_hang(f"the search for comments in {name}"):
        assert len(find_comments(text)) == count
