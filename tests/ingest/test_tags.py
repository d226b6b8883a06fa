"""Tags in prose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.ingest.tags import find_tags
from tests.guard import guard_hang

CASES = {
    'Colour #ff394d, see issue #7, C# and #2024-plan, #real/nested, <p style="color:#EEE">x</p>': [
        "2024-plan",
        "real/nested",
    ],
    "#abc #decade #a1b #fff000 #12345678 #1234567": ["abc", "decade"],
    "#2024-01 #v1 #a1b2": ["2024-01", "v1", "a1b2"],
    "#a # #  ##b #! #": ["a"],
    "[[#oven.door (v2)]] and [[Page#costs]] [[Page|#shown]]": [],
    '[x](#costs) [y](page.md#costs) <a href="#part">': [],
    "https://x.org/#frag https://x.org/a?b=#c www.x.org/#d": [],
    "\\#escaped a#b #a#b &#35;x #-x #/x #_": ["a"],
    "(#in) [#box], #one,#two; **#bold** #end.": ["in", "box", "one", "two", "bold", "end"],
    "#nested/tag/ #under_score #dash-": ["nested/tag", "under_score", "dash-"],
    "#⚙️setup #🧠 #知识/复盘 #naïve": ["⚙️setup", "🧠", "知识/复盘", "naïve"],
    "，#标签。好 #नमस्ते #ភាសា": ["标签", "नमस्ते", "ភាសា"],
    "#naïve #nai\u0308ve #Naïve #⚙\ufe0f #⚙": ["naïve", "⚙\ufe0f"],
    "#️⃣ is a key": [],
    "#family👨\u200d👩\u200d👧 #it’s": ["family👨\u200d👩\u200d👧", "it"],
    "#nospace\nmore #Tag and #tag": ["nospace", "Tag"],
    "no tags at all": [],
}


@pytest.mark.parametrize("text", CASES)
def test_tags_are_found_as_written_and_once(text: str) -> None:
    assert find_tags(text) == CASES[text]


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("#a1 [](<>/:-_é知🧠\u200d\ufe0f。\n"), max_size=60))
def test_every_tag_stands_in_the_text_after_its_mark(text: str) -> None:
    for tag in find_tags(text):
        assert "#" + tag in text
        assert not tag.isdigit()


HOSTILE = {
    "marks": ("#" * 300_000, []),
    "tags": ("#a " * 100_000, ["a"]),
    "tags without spaces": ("#知" * 100_000, ["知"]),
    "ends of links": ("](" * 150_000, []),
    "one long tag": ("#" + "é" * 300_000, ["é" * 300_000]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    text, tags = HOSTILE[name]
    with guard_hang(f"the search for tags in {name}"):
        assert find_tags(text) == tags
