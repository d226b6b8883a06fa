"""Links: the case table, line numbers, and time."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.ingest import links
from remem.ingest.links import Problems
from remem.records import MAX_WEIGHT, ParsedLink
from tests.guard import guard_hang

CASES = Path(__file__).parent.parent / "data" / "links.md"
FIELDS = ("anchor", "shown", "source", "id", "type", "weight")
DEFAULT = ParsedLink("", "")


def read_cases(group: str) -> list[tuple[str, str]]:
    table = CASES.read_text(encoding="utf-8").split(f"\n## {group}\n", 1)[1].split("~~~\n")[1]
    return [(left.strip(), right.strip()) for left, right in (line.split("=>") for line in table.splitlines())]


def decode(text: str) -> str:
    return re.sub(r"U\+([0-9A-F]{4})", lambda match: chr(int(match[1], 16)), text.replace("⏎", "\n"))


def show(found: list[ParsedLink], problems: Problems) -> str:
    shown = []
    for link in found:
        fields = [f"{name}: {getattr(link, name)}" for name in FIELDS if getattr(link, name) != getattr(DEFAULT, name)]
        shown.append(" | ".join([f"{link.form}: {link.label}".rstrip(), *fields]))
    return " && ".join(shown + [f"!{code}" for _, code, _ in problems]) or "none"


def check(found: list[ParsedLink], problems: Problems, expected: str) -> None:
    assert show(found, problems) == decode(expected)


@pytest.mark.parametrize(("written", "expected"), read_cases("text"))
def test_wiki_links_of_text_are_read_as_the_table_says(written: str, expected: str) -> None:
    problems: Problems = []
    check(links.scan_text(decode(written), 1, problems), problems, expected)


@pytest.mark.parametrize(("written", "expected"), read_cases("markdown"))
def test_markdown_addresses_are_read_as_the_table_says(written: str, expected: str) -> None:
    link = links.parse_markdown_target(decode(written), "", 1)
    check([link] if link else [], [], expected)


@pytest.mark.parametrize(("written", "expected"), read_cases("html"))
def test_links_of_html_are_read_as_the_table_says(written: str, expected: str) -> None:
    problems: Problems = []
    check(links.scan_html(decode(written), 1, problems), problems, expected)


@pytest.mark.parametrize(("written", "expected"), read_cases("hrefs"))
def test_addresses_of_html_documents_are_read_as_the_table_says(written: str, expected: str) -> None:
    problems: Problems = []
    check(links.scan_html(decode(written), 1, problems, hrefs=True), problems, expected)


@pytest.mark.parametrize(("written", "expected"), read_cases("types"))
def test_a_type_before_a_link_is_read_as_the_table_says(written: str, expected: str) -> None:
    assert (links.find_type(decode(written)) or "none") == expected


def test_shown_text_and_line_of_a_markdown_link_are_kept() -> None:
    assert links.parse_markdown_target("x.md", " the x ", 7) == ParsedLink("markdown", "x.md", shown="the x", line=7)


def test_links_and_problems_carry_the_line_they_stand_in() -> None:
    problems: Problems = []
    found = links.scan_text("one\n[[a]]\n\n[[b\nb]] [[c; w=x]]\n[[d]]", 10, problems)
    assert [link.line for link in found] == [11, 13, 14, 15]
    assert [line for line, _, _ in problems] == [14]


def test_links_in_html_carry_the_line_they_stand_in() -> None:
    source = "<div>\n[[a]]\n<!--\n-->\n<knowledge>\nb\n</knowledge>\n<pre>\n</pre>[[c]]</div>"
    assert [(link.label, link.line) for link in links.scan_html(source, 3, [])] == [("a", 4), ("b", 7), ("c", 11)]


def test_a_problem_names_the_value_but_not_the_rest_of_the_note() -> None:
    problems: Problems = []
    links.parse_wiki("secret; w=lots", embed=False, line=3, problems=problems)
    assert problems == [(3, "bad-link-weight", "weight 'lots' is not a number from 0 to 1000000; 1.0 is used")]


def test_urls_end_at_space_and_at_brackets_that_they_did_not_open() -> None:
    text = "(https://x.org/A_(b)) <https://y.org> ftp://z.org/a]b ://none 7zip://q (www.x.org/a(www.y)) www. x.www.z"
    urls = [text[start:end] for start, end in links.find_urls(text)]
    assert urls == ["https://x.org/A_(b)", "https://y.org", "ftp://z.org/a", "zip://q", "www.x.org/a(www.y)"]


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.floats(min_value=0.0, max_value=MAX_WEIGHT))
def test_every_weight_in_range_is_kept_to_six_decimals(weight: float) -> None:
    problems: Problems = []
    link = links.parse_wiki(f"a; w={weight!r}", embed=False, line=1, problems=problems)
    assert link is not None and link.weight == round(weight, 6) and not problems


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("[]|#;=\\!<>/-\"'% wkaé\n."), max_size=60))
def test_no_text_makes_the_readers_fail(text: str) -> None:
    problems: Problems = []
    found = links.scan_text(text, 1, problems) + links.scan_html(text, 1, problems, hrefs=True)
    for link in found:
        assert link.label or link.anchor or link.source or link.id
        assert 1 <= link.line <= text.count("\n") + 1
    links.parse_markdown_target(text, text, 1)
    links.find_type(text)


HOSTILE = {
    "open brackets": "[[" * 150_000,
    "brackets": "[" * 150_000 + "]" * 150_000,
    "spaces in a link": "[[a" + " " * 300_000,
    "line ends in a link": "[[a" + "\n " * 150_000 + "]]",
    "escaped ends": "[[" + "\\]]" * 90_000,
    "backslashes": "\\" * 300_000 + "[[a]]",
    "parameters": "[[a" + "; w=1" * 60_000 + "]]",
    "emoji": "🙂" * 300_000,
    "backticks": "`" * 150_000 + "x",
    "pipes": "|" * 150_000,
    "open comments": "<!--" * 60_000,
    "comments": "<!-- x -->" * 30_000,
    "open tags": "<a " * 90_000,
    "quotes across tags": '<a x="> " ' * 30_000,
    "a long attribute": "<a " + "x" * 300_000 + ">",
    "open attributes": "<a " + "x='" * 90_000 + ">",
    "open knowledge": "<knowledge>" * 30_000,
    "links of html": "<a href='x.md'>" * 18_000,
    "nested pre": "<pre>" * 60_000,
    "open scripts": "<script>" * 36_000,
    "urls": "https://" * 36_000,
    "sites": "(www.a[[b]]" * 30_000,
    "a long word": "a" * 300_000 + "://",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    text = HOSTILE[name]
    with guard_hang(f"the reading of {name}"):
        found = links.scan_text(text, 1, []) + links.scan_html(text, 1, [], hrefs=True)
        links.parse_wiki(text, embed=True, line=1, problems=[])
        links.parse_markdown_target(text, "", 1)
    last = text.count("\n") + 1
    assert all(1 <= link.line <= last for link in found)
