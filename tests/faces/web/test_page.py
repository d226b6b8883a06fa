"""The graph page as a person reads it, in a real browser: search, nodes, relations, filters, keys, sizes, colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")

from playwright.sync_api import Browser, expect

from tests.faces.server_process import ServerProcess
from tests.faces.web.browser import View, view


@pytest.fixture(scope="module")
def visited(browser: Browser, server: ServerProcess) -> Iterator[View]:
    with view(browser, server) as shown:
        shown.open()
        yield shown


@pytest.fixture
def page(visited: View) -> Iterator[View]:
    """A page on which nothing is chosen, hidden or typed, whatever was done before. Nothing may go wrong in it."""
    visited.reset()
    yield visited
    assert visited.faults == []


@pytest.fixture
def fresh(browser: Browser, server: ServerProcess) -> Iterator[View]:
    """A page that nobody has touched."""
    with view(browser, server) as shown:
        shown.open()
        yield shown


def test_it_shows_the_whole_store_and_says_how_much_that_is(page: View) -> None:
    expect(page.find("#figures")).to_have_text("7 nodes · 4 edges · 1 waiting")
    expect(page.find("html")).to_have_attribute("data-nodes", "8")
    expect(page.find("#empty")).to_be_hidden()


def test_search_finds_a_node_and_opens_it(page: View) -> None:
    page.search("high water twice")
    page.expect_open("Tide table")
    expect(page.find("#panel .prose")).to_contain_text("High water comes twice a day.")
    expect(page.find("#panel .facts")).to_contain_text("notes/tides.md")
    expect(page.find(".tree-row.chosen")).to_have_text("Tide table")
    assert "#node=" in page.page.url


def test_enter_may_be_pressed_before_the_hits_are_there(page: View) -> None:
    page.find("#query").fill("high water twice")
    page.find("#query").press("Enter")
    page.expect_open("Tide table")
    page.find("#query").fill("it pulls")
    page.find("#query").press("Enter")
    page.expect_open("Moon")


def test_a_search_that_finds_nothing_says_so_and_ends_with_escape(page: View) -> None:
    page.find("#query").fill("zyxwvut")
    expect(page.find("#hits")).to_contain_text("Nothing found.")
    page.page.keyboard.press("Escape")
    expect(page.find("#hits")).to_be_hidden()
    expect(page.find("#query")).to_have_attribute("aria-expanded", "false")


def test_an_address_opens_the_node_that_it_names(fresh: View) -> None:
    fresh.search("tide table")
    fresh.expect_open("Tide table")
    address = fresh.page.url
    fresh.page.goto("about:blank")
    fresh.page.goto(address)
    fresh.wait_ready()
    fresh.expect_open("Tide table")
    fresh.page.goto(f"{fresh.address}/#node=Moon")
    fresh.expect_open("Moon")


def test_a_relation_is_followed_and_its_path_read(page: View) -> None:
    page.search("moon")
    page.expect_open("Moon")
    near = page.find(".relation .way").first
    expect(near).to_contain_text("caused by 1")
    expect(near).to_contain_text("Tide table")
    expect(page.find(".relation")).to_have_count(1)
    page.find("#depth").fill("2")
    far = page.find(".relation").nth(1)
    expect(far.locator(".way button")).to_have_text(["Tide table", "Steps"])
    expect(far.locator(".hop").first).to_have_text("←caused by 1")
    expect(far.locator(".hop").last).to_have_text("←references 1")
    far.locator(".way button").last.click()
    page.expect_open("Steps")
    expect(page.find("#panel .crumbs")).to_contain_text("Deploy")


def test_the_way_to_another_node_is_found(page: View) -> None:
    page.search("moon")
    page.expect_open("Moon")
    page.find("#way-to").fill("one after the other")
    page.find("#way-hits .choice").first.click()
    expect(page.find("#way-found .way button")).to_have_text(["Tide table", "Steps"])
    page.find("#way-to").fill("keys of the harbour")
    page.find("#way-hits .choice", has_text="harbour").first.click()
    expect(page.find("#way-found")).to_contain_text("No way of at most five hops")


@pytest.mark.parametrize(
    ("start", "link", "opened"),
    [
        ("Deploy", "Keys", "Keys"),
        ("Deploy", "how they turn", "Rotation"),
        ("Deploy", "the tide table", "Tide table"),
        ("Deploy", "Runbook to come", "Runbook to come"),
        ("Tide table", "Moon", "Moon"),
    ],
)
def test_a_link_in_a_text_leads_to_what_the_store_linked(page: View, start: str, link: str, opened: str) -> None:
    page.page.goto(f"{page.address}/#node={start}")
    page.expect_open(start)
    page.find(".prose a").get_by_text(link, exact=True).click()
    page.expect_open(opened)


def test_what_waits_is_listed_and_says_who_waits_for_it(page: View) -> None:
    page.find("#tab-pending").click()
    page.find("#pending-pane .choice").get_by_text("Runbook to come").click()
    page.expect_open("Runbook to come")
    expect(page.find("#panel")).to_contain_text("Nothing of this name exists yet")
    page.find("#panel ul button").click()
    page.expect_open("Deploy")


def test_filters_narrow_what_is_shown_and_what_is_walked(page: View) -> None:
    page.search("moon")
    expect(page.find(".relation")).to_have_count(1)
    page.find("#tab-filters").click()
    page.find("[data-filter=heading]").uncheck()
    expect(page.find("#figures")).to_contain_text("5 of 7 nodes")
    page.find("#filter-tag").select_option("sky")
    expect(page.find("#figures")).to_contain_text("1 of 7 nodes")
    page.find("[data-filter=caused_by]").uncheck()
    expect(page.find(".relations")).to_contain_text("Nothing is linked to it by edges that are shown.")
    page.find("#filter-after").fill("2999-01-01")
    expect(page.find("#figures")).to_contain_text("0 of 7 nodes")
    page.find("#filter-reset").click()
    expect(page.find("#figures")).to_have_text("7 nodes · 4 edges · 1 waiting")
    expect(page.find(".relation")).to_have_count(1)
    page.find("#filter-weight").fill("2")
    expect(page.find("output[for=filter-weight]")).to_have_text("from 2")
    expect(page.find(".relations")).to_contain_text("Nothing is linked to it by edges that are shown.")


def test_only_what_is_near_is_shown_as_far_as_is_wanted(page: View) -> None:
    page.search("moon")
    page.expect_open("Moon")
    page.find("#focus").click()
    expect(page.find("#near")).to_contain_text("near Moon")
    expect(page.find("#figures")).to_contain_text("3 of 7 nodes")
    page.find("#near-depth").fill("1")
    expect(page.find("#figures")).to_contain_text("2 of 7 nodes")
    page.find(".relation .way button").first.click()
    expect(page.find("#near")).to_contain_text("near Tide table")
    page.find("#near-all").click()
    expect(page.find("#near")).to_be_hidden()
    expect(page.find("#figures")).to_have_text("7 nodes · 4 edges · 1 waiting")


def test_neighbours_are_pointed_out_and_warmth_is_shown(page: View) -> None:
    page.search("moon")
    page.expect_open("Moon")
    page.find("#expand").click()
    page.find("#tab-filters").click()
    expect(page.find("#legend")).to_be_hidden()
    page.find("#filter-heat").check()
    expect(page.find("#legend")).to_have_text("coldwarm")


def test_the_graph_is_walked_with_the_keyboard(page: View) -> None:
    page.rest()
    page.find("#graph").focus()
    page.page.keyboard.press("Enter")
    expect(page.find(".panel-title h2")).to_be_visible()
    first = page.find(".panel-title h2").text_content()
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.page.keyboard.press(key)
    expect(page.find(".panel-title h2")).to_be_visible()
    expect(page.find("#chosen")).to_contain_text("edges")
    page.page.keyboard.press("Enter")
    expect(page.find(".panel-title h2")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.find("#panel")).to_be_hidden()
    expect(page.find("#graph")).to_be_focused()
    assert first


def test_the_tree_is_walked_with_the_keyboard(fresh: View) -> None:
    tree = fresh.find(".tree-scroll")
    expect(fresh.find(".tree-row")).to_have_count(6)
    tree.focus()
    fresh.page.keyboard.press("ArrowDown")
    fresh.page.keyboard.press("ArrowRight")
    expect(fresh.find(".tree-row.active")).to_have_attribute("aria-expanded", "true")
    expect(fresh.find(".tree-row")).to_have_count(7)
    fresh.page.keyboard.press("ArrowDown")
    fresh.page.keyboard.press("Enter")
    fresh.expect_open("Steps")
    expect(tree).to_be_focused()


def test_tabs_answer_to_arrow_keys(page: View) -> None:
    page.find("#tab-tree").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.find("#tab-filters")).to_be_focused()
    expect(page.find("#filters-pane")).to_be_visible()
    page.page.keyboard.press("ArrowLeft")
    expect(page.find("#tree-pane")).to_be_visible()


def test_the_help_gives_the_focus_back(page: View) -> None:
    page.find("#help").focus()
    page.page.keyboard.press("?")
    expect(page.find("dialog")).to_contain_text("Keys")
    page.page.keyboard.press("Escape")
    expect(page.find("dialog")).to_be_hidden()
    expect(page.find("#help")).to_be_focused()


def test_a_node_in_the_picture_is_opened_by_a_click(page: View) -> None:
    page.rest()
    page.search("moon")
    page.expect_open("Moon")
    page.find(".panel-head .icon").click()
    expect(page.find("#panel")).to_be_hidden()
    box = page.find("#graph").bounding_box()
    assert box is not None
    for _ in range(40):  # the camera goes on for a moment
        page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if page.find("#panel").is_visible():
            break
    page.expect_open("Moon")


# --- sizes and colours ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568), (1024, 768)])
def test_nothing_is_wider_than_the_screen(browser: Browser, server: ServerProcess, width: int, height: int) -> None:
    with view(browser, server, viewport={"width": width, "height": height}) as page:
        page.open("#node=Deploy")
        page.expect_open("Deploy")
        page.find(".relation").first.wait_for()
        wide = "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.panel, .bar')].map("
        assert page.ask(wide + "e => e.getBoundingClientRect().left + e.scrollWidth))") <= width
        assert page.ask("document.getElementById('panel').scrollWidth <= document.getElementById('panel').clientWidth")


def test_a_phone_has_tree_and_filters_in_a_drawer(browser: Browser, server: ServerProcess) -> None:
    with view(browser, server, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        page.open()
        expect(page.find("#side")).to_be_hidden()
        page.find("#open-side").click()
        expect(page.find("#side")).to_be_visible()
        expect(page.find("#open-side")).to_have_attribute("aria-expanded", "true")
        page.find(".tree-row", has_text="Moon").click()
        page.expect_open("Moon")
        expect(page.find("#side")).to_be_hidden()
        page.find("#open-side").click()
        page.page.keyboard.press("Escape")
        expect(page.find("#side")).to_be_hidden()
        expect(page.find("#open-side")).to_be_focused()


@pytest.mark.parametrize(("scheme", "ground", "other"), [("dark", "rgb(21, 23, 28)", "rgb(250, 249, 246)")])
def test_dark_and_light_follow_the_system_until_somebody_chooses(
    browser: Browser, server: ServerProcess, scheme: str, ground: str, other: str
) -> None:
    with view(browser, server, color_scheme=scheme) as page:
        page.open()
        expect(page.find("body")).to_have_css("background-color", ground)
        page.page.emulate_media(color_scheme="light")
        expect(page.find("body")).to_have_css("background-color", other)
        page.page.keyboard.press("t")
        expect(page.find("body")).to_have_css("background-color", ground)
        page.page.reload()
        page.wait_ready()
        expect(page.find("body")).to_have_css("background-color", ground)
