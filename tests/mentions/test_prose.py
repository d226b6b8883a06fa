"""What of a text can name something, and which parts of it are whole names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.graph.mentions import Matcher, can_name, find_head, list_heads, make_pattern, weigh
from remem.graph.prose import Prose

NAMES = (
    "Deploy key",
    "Deploy key rotation",
    "Kafka",
    "CI/CD pipeline",
    "offline-ticketing",
    "Straße 7",
    "東京タワー",
    "C++",
    "Émile Zola",
    "wait_for",
    "O'Brien",
)
MATCHER = Matcher(list(enumerate(map(make_pattern, NAMES))))


def find_names(text: str, kind: str = "text") -> list[str]:
    return [NAMES[use.name] for use in MATCHER.find_uses(Prose([(1, kind, text)]))]


def test_names_of_the_own_document_hide_none_that_stand_in_them() -> None:
    prose = Prose([(1, "heading", "## Notes on the deploy key rotation")])
    own = {make_pattern("Deploy key rotation")}
    assert [NAMES[use.name] for use in MATCHER.find_uses(prose)] == ["Deploy key rotation"]
    assert [NAMES[use.name] for use in MATCHER.find_uses(prose, own)] == ["Deploy key"]


@pytest.mark.parametrize(
    "text",
    [
        "the deploy key",
        "DEPLOY  KEY",
        "a deploy\nkey.",
        "(Deploy key)",
        "**Deploy** key",
        "the _deploy key_,",
        "deploy-key",
        "deploy\u00a0key",
        "de\u00adploy key",
        "==deploy key==",
        "a deploy key's owner",
        "# Deploy key",
        "| deploy key | x |",
        "- deploy key\n- other",
        "[the deploy key](https://example.org/x)",
        "[[Other|deploy key]]",
        "costs $5 for a deploy key, $6 for two",
        "50% of a deploy key and 20%",
        "“deploy key”",
        "a < b, deploy key > c",
    ],
)
def test_a_name_in_prose_is_found(text: str) -> None:
    assert find_names(text) == ["Deploy key"]


@pytest.mark.parametrize(
    "text",
    [
        "`deploy key`",
        "``a ` deploy key``",
        "- a\n\n  ```\n  deploy key\n  ```",
        "~~~\ndeploy key\n~~~",
        "$deploy key$",
        "$$\ndeploy key\n$$",
        "<!-- deploy key -->",
        "<!-- deploy key",
        "%% deploy key %%",
        "https://x.org/deploy-key",
        "www.example.org/deploy-key",
        "<https://x.org/deploy-key>",
        "[x](deploy-key.md)",
        "[x](<deploy key.md>)",
        "![x](deploy-key.png)",
        "[x][deploy key]",
        "[x]: deploy-key.md",
        "[[Deploy key]]",
        "![[Deploy key]]",
        "[[Deploy key#Part]]",
        "[[Deploy key|x]]",
        '<a href="deploy key">x</a>',
        "<pre>deploy key</pre>",
        "deploy keys",
        "redeploy key",
        "deploy [[x|key]]",
        "deploy\n\n\u0001key",
        "deploy, key",
        "deploy - key",
        "deploy\n- key",
        "my_deploy_key_file",
        "x/deploy-key/y",
    ],
)
def test_code_math_comments_addresses_targets_and_parts_of_words_name_nothing(text: str) -> None:
    assert find_names(text) == []


@pytest.mark.parametrize("text", ["src/kafka/x.py", "#kafka", "@kafka", "kafka.py", "kafka_topic", "kafkas", "a=kafka"])
def test_one_word_in_a_path_tag_or_identifier_names_nothing(text: str) -> None:
    assert find_names(text) == []
    assert find_names(f"{text} and Kafka-based.") == ["Kafka"]


def test_code_blocks_and_single_words_of_front_matter_name_nothing() -> None:
    assert find_names("```\ndeploy key\n```", "code") == []
    assert find_names("---\ntags: kafka\nabout: the deploy key\n---", "kv") == ["Deploy key"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("deploy key rotation", ["Deploy key rotation"]),
        ("deploy key rotation, then the deploy key", ["Deploy key rotation", "Deploy key"]),
        ("a ci/cd pipeline", ["CI/CD pipeline"]),
        ("offline ticketing and offline_ticketing", ["offline-ticketing"]),
        ("STRASSE 7", ["Straße 7"]),
        ("E\u0301MILE ZOLA", ["Émile Zola"]),
        ("私は東京タワーに行く", ["東京タワー"]),
        ("in C++, of course", ["C++"]),
        ("ask O'Brien", ["O'Brien"]),
        ("wait for it", ["wait_for"]),
    ],
)
def test_names_are_compared_by_their_keys_the_longest_first(text: str, found: list[str]) -> None:
    assert find_names(text) == found


def test_the_first_node_and_its_spelling_are_told() -> None:
    prose = Prose([(7, "text", "Nothing."), (8, "text", "My DEPLOY  Key."), (9, "text", "deploy key")])
    (use,) = MATCHER.find_uses(prose)
    assert (use.node, use.spelling) == (8, "DEPLOY Key")


@pytest.mark.parametrize(
    ("text", "kinds", "counts"),
    [
        ("Deploy key", {"heading"}, True),
        ("Kafka", {"heading"}, False),
        ("Kafka", {"stem"}, False),
        ("Kafka", {"title"}, True),
        ("Kafka", {"alias"}, True),
        ("Kafka", {"entity"}, True),
        ("Search", {"title"}, False),
        ("Meetings", {"title", "stem"}, False),
        ("See also", {"heading"}, False),
        ("How it works", {"heading"}, False),
        ("2026", {"title"}, False),
        ("2026-05-18", {"title"}, True),
        ("1.2.0", {"heading"}, False),
        ("X", {"title"}, False),
        ("東京タワー", {"heading"}, True),
        ("東京", {"heading"}, False),
        ("東京", {"title"}, True),
        ("🚀", {"title"}, False),
        ("word " * 60, {"heading"}, False),
    ],
)
def test_two_words_name_and_one_only_as_title_alias_or_entity(text: str, kinds: set[str], counts: bool) -> None:
    pattern = make_pattern(text)
    assert bool(pattern and can_name(pattern, kinds)) is counts


def test_a_mention_weighs_less_the_more_texts_name_the_node() -> None:
    assert [weigh(texts) for texts in (1, 2, 50)] == [500_000, 295_308, 101_791]


PIECES = st.lists(
    st.sampled_from([*NAMES, *"京x-_*`$|.ßé\n", "[[", "]]", "deploy", "key"]),
    max_size=14,
)


@given(st.lists(PIECES, max_size=4))
def test_a_name_that_is_used_is_filed_under_a_head_of_the_text(blocks: list[list[str]]) -> None:
    prose = Prose([(number, "text", " ".join(pieces)) for number, pieces in enumerate(blocks, 1)])
    heads = list_heads(prose)
    assert all(find_head(make_pattern(NAMES[use.name])) in heads for use in MATCHER.find_uses(prose))


@given(st.text(alphabet="`$<>[]!%~*_ ab\n\\:/(){}#\u0301東", max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    prose = Prose([(1, "text", text), (2, "text", "deploy key")])
    assert len(prose.text) == len(prose.whole)
    assert [use.node for use in MATCHER.find_uses(prose)] == [2]
