"""The graph page where answers come late, in another order, or not: what somebody does last is what counts, and what is
looked at stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")

from playwright.sync_api import Browser, Route, expect

from remem import Remem
from tests.faces.server_process import ServerProcess
from tests.faces.web.answers import Answers, fail_once, wait_until
from tests.faces.web.browser import View, view
from tests.faces.web.conftest import make_store, serve, write_notes

WHOLE = re.compile(r"/graph\?compact=true&limit=")
NAMED = re.compile(r"/graph\?compact=true&nodes=.*depth=0")
SEARCH = "**/memories/search"
KEY = "a-key-that-is-long-enough"


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[ServerProcess]:
    """A server of notes to which memories are added."""
    with serve(make_store(tmp_path_factory.mktemp("changing"))) as server:
        yield server


@pytest.fixture
def page(browser: Browser, server: ServerProcess) -> Iterator[View]:
    """A page of notes that nobody changes."""
    with view(browser, server) as shown:
        shown.open()
        yield shown


def choose_row(page: View, label: str) -> None:
    page.find(".tree-row", has_text=label).click()


def tell(server: ServerProcess, id: str, content: str, **fields: object) -> None:
    """Stores a memory, or gives it another text."""
    server.ask("DELETE", f"/api/v1/memories/{id}?permanent=true")
    assert server.ask("POST", "/api/v1/memories", {"id": id, "content": content, **fields}).status == 201


def edit(server: ServerProcess, id: str, content: str) -> None:
    assert server.ask("PUT", f"/api/v1/memories/{id}", {"content": content}).status == 200


# --- whoever goes elsewhere is not called back ------------------------------------------------------------------------


def test_a_link_that_is_answered_late_calls_nobody_back(page: View) -> None:
    page.page.goto(f"{page.address}/#node=Deploy")
    page.expect_open("Deploy")
    late = Answers(page.page, NAMED)
    page.find(".prose a").get_by_text("Runbook to come").click()
    late.wait()
    choose_row(page, "Moon")
    page.expect_open("Moon")
    late.stop()
    page.settle()
    page.expect_open("Moon")


def test_an_address_that_is_gone_to_again_counts_more_than_a_link_before(page: View) -> None:
    page.page.goto(f"{page.address}/#node=Deploy")
    page.expect_open("Deploy")
    address = page.page.url
    late = Answers(page.page, NAMED)
    page.find(".prose a").get_by_text("Runbook to come").click()
    late.wait()
    page.page.goto(address)
    late.stop()
    page.settle()
    page.expect_open("Deploy")
    expect(page.find(".prose a")).to_have_count(4)


def test_what_is_closed_is_not_opened_by_an_answer_that_comes_late(page: View) -> None:
    late = Answers(page.page, "**/nodes/*")
    page.page.goto(f"{page.address}/#node=Tide%20table")
    late.wait()
    page.find("#graph").press("Escape")
    late.stop()
    page.settle()
    expect(page.find("#panel")).to_be_hidden()


def test_enter_in_the_search_is_forgotten_by_whoever_goes_elsewhere(page: View) -> None:
    late = Answers(page.page, SEARCH)
    page.find("#query").fill("high water twice")
    page.find("#query").press("Enter")
    late.wait()
    choose_row(page, "Moon")
    late.stop()
    page.settle()
    page.expect_open("Moon")
    expect(page.find("#hits")).to_be_hidden()


def test_escape_closes_the_search_for_good(page: View) -> None:
    late = Answers(page.page, SEARCH)
    page.find("#query").fill("high water")
    late.wait()
    page.find("#query").press("Escape")
    late.stop()
    page.settle()
    expect(page.find("#hits")).to_be_hidden()


def test_hits_do_not_come_back_over_what_was_opened(page: View) -> None:
    page.search("moon")
    page.expect_open("Moon")
    page.find("#query").fill("moon ")
    page.find("#query").press("Enter")
    page.settle(200)
    page.expect_open("Moon")
    expect(page.find("#hits")).to_be_hidden()


def test_a_search_that_failed_is_asked_again_by_enter(page: View) -> None:
    fail_once(page.page, SEARCH)
    page.find("#query").fill("high water twice")
    expect(page.find("#hits")).to_contain_text("Too busy.")
    page.find("#query").press("Enter")
    page.expect_open("Tide table")


def test_the_way_that_was_asked_for_last_is_shown(page: View) -> None:
    page.page.goto(f"{page.address}/#node=Moon")
    page.expect_open("Moon")
    late = Answers(page.page, re.compile(r"/path\?"))
    for query, count in (("keys of the harbour", 1), ("one after the other", 2)):
        page.find("#way-to").fill(query)
        page.find("#way-hits .choice").first.click()
        late.wait(count)
    late.stop()
    expect(page.find("#way-found .way button")).to_have_text(["Tide table", "Steps"])
    page.settle()
    expect(page.find("#way-found .way button")).to_have_text(["Tide table", "Steps"])


def test_enter_takes_what_was_found_for_all_that_was_typed(page: View) -> None:
    page.page.goto(f"{page.address}/#node=Moon")
    page.expect_open("Moon")
    page.find("#connect-to").fill("keys")
    page.find("#connect-hits .choice").first.wait_for()
    page.find("#connect-to").fill("tide table")
    page.find("#connect-to").press("Enter")
    expect(page.find("#connect-chosen")).to_have_text("to Tide table")


# --- what is shown belongs together -----------------------------------------------------------------------------------


def test_a_node_is_never_shown_with_the_relations_of_another(page: View) -> None:
    page.page.goto(f"{page.address}/#node=Moon")
    page.find(".relation").first.wait_for()
    late = Answers(page.page, "**/related?*")
    choose_row(page, "Deploy")
    late.wait()
    page.expect_open("Deploy")
    expect(page.find(".relation")).to_have_count(0)
    late.stop()
    page.find(".relation").first.wait_for()


def test_the_name_of_a_node_is_there_before_its_text_and_keeps_the_focus(page: View) -> None:
    late = Answers(page.page, "**/nodes/*")
    page.find("#graph").press("Enter")
    late.wait()
    page.find("#graph").press("Enter")
    expect(page.find(".panel-title h2")).to_be_focused()
    expect(page.find(".prose")).to_have_count(0)
    late.stop()
    page.find(".prose").wait_for()
    expect(page.find(".panel-title h2")).to_be_focused()


def test_the_newest_text_is_shown_whichever_answer_comes_last(browser: Browser, changing: ServerProcess) -> None:
    tell(changing, "fact", "The first text.")
    with view(browser, changing) as page:
        page.open("#node=fact")
        late = Answers(page.page, "**/nodes/fact*")
        for text, loads in (("The second text.", 1), ("The third text.", 2)):
            with page.page.expect_response(WHOLE):
                edit(changing, "fact", text)
            if loads == 1:
                late.wait()
        page.settle()
        late.stop()
        expect(page.find("#panel .prose")).to_have_text("The third text.")
        page.settle()
        expect(page.find("#panel .prose")).to_have_text("The third text.")


# --- what is looked at stays while the store changes ------------------------------------------------------------------


def test_what_is_pressed_is_still_there_when_it_is_let_go(browser: Browser, changing: ServerProcess) -> None:
    with view(browser, changing) as page:
        page.open("#node=Moon")
        page.find(".relation .way button", has_text="Tide table").hover()
        page.page.mouse.down()
        with page.page.expect_response("**/nodes/*"), page.page.expect_response(WHOLE):
            tell(changing, "pressed", "It pulls like the [[Moon]].")
        page.settle()
        page.page.mouse.up()
        page.expect_open("Tide table")
        expect(page.find("#figures")).not_to_contain_text("7 nodes")


def test_an_answer_that_fails_takes_nothing_away_and_is_asked_for_again(
    browser: Browser, changing: ServerProcess
) -> None:
    tell(changing, "kept", "What is read.")
    with view(browser, changing) as page:
        page.open("#node=kept")
        fail_once(page.page, "**/nodes/kept*")
        with page.page.expect_response(lambda answer: answer.status == 503):
            edit(changing, "kept", "What is new.")
        page.settle()
        expect(page.find("#panel .prose")).to_have_text("What is read.", timeout=1000)
        expect(page.find("#panel .prose")).to_have_text("What is new.")


def test_a_graph_that_could_not_be_loaded_is_loaded_later(browser: Browser, server: ServerProcess) -> None:
    with view(browser, server) as page:
        fail_once(page.page, WHOLE)
        page.page.goto(f"{page.address}/#node=Moon")
        expect(page.find("#banner")).to_contain_text("Too busy.")
        expect(page.find("#figures")).to_contain_text("7 nodes")
        page.expect_open("Moon")
        expect(page.find("#banner")).to_be_hidden()
        expect(page.find(".tree-row.chosen")).to_have_text("Moon")


def test_a_change_before_anybody_listened_is_not_missed(browser: Browser, changing: ServerProcess) -> None:
    waiting: list[Route] = []
    with view(browser, changing) as page:
        page.page.route("**/events", lambda route: waiting.append(route))
        page.page.goto(page.address)
        page.wait_ready()
        before = int(page.find("html").get_attribute("data-nodes") or 0)
        tell(changing, "unheard", "Nobody listened to this.")
        wait_until(page.page, lambda: bool(waiting))
        waiting.pop().continue_()
        expect(page.find("html")).to_have_attribute("data-nodes", str(before + 1))


def test_a_page_that_nobody_sees_gives_its_connection_back_and_catches_up(
    browser: Browser, changing: ServerProcess
) -> None:
    with view(browser, changing) as page:
        page.page.clock.install()
        page.open()
        before = int(page.find("html").get_attribute("data-nodes") or 0)
        show = "Object.defineProperty(document, 'hidden', {{ value: {}, configurable: true }}),"
        show += "document.dispatchEvent(new Event('visibilitychange'))"
        page.ask(show.format("true"))
        with page.page.expect_event("requestfailed", lambda request: request.url.endswith("/events")):
            page.page.clock.fast_forward(31_000)
        tell(changing, "unseen", "Nobody saw this.")
        page.settle()
        expect(page.find("html")).to_have_attribute("data-nodes", str(before))
        expect(page.find("#banner")).to_be_hidden()
        page.ask(show.format("false"))
        expect(page.find("html")).to_have_attribute("data-nodes", str(before + 1))


def test_what_waits_and_is_written_does_not_call_back_whoever_went_on(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store) as server, view(browser, server) as page:
        page.open()
        page.find("#tab-pending").click()
        page.find("#pending-pane .choice").click()
        page.expect_open("Runbook to come")
        late = Answers(page.page, NAMED)
        with Remem.open_sync(store) as remem:
            remem.compile(write_notes(tmp_path / "notes", {"run.md": "# Runbook to come\n\nHere it is.\n"}))
        late.wait()
        page.find("#tab-tree").click()
        choose_row(page, "Moon")
        late.stop()
        page.settle()
        page.expect_open("Moon")


def test_a_key_that_is_asked_for_over_another_dialog_is_waited_for(browser: Browser, tmp_path: Path) -> None:
    with serve(make_store(tmp_path), REMEM_API_KEY=KEY) as server, view(browser, server) as page:
        page.page.goto(server.address)
        page.find("#key").fill(KEY)
        page.page.keyboard.press("Enter")
        page.wait_ready()
        page.find("#graph").press("?")
        expect(page.find("dialog")).to_contain_text("Keys")
        page.ask("sessionStorage.clear()")
        made = server.ask("POST", "/api/v1/memories", {"content": "New."}, Authorization=f"Bearer {KEY}")
        assert made.status == 201
        page.find("#key").fill(KEY)
        page.page.keyboard.press("Enter")
        expect(page.find("#figures")).to_contain_text("8 nodes")
        expect(page.find("#banner")).to_be_hidden()


def test_who_chooses_a_tag_is_not_interrupted_by_new_ones(browser: Browser, changing: ServerProcess) -> None:
    with view(browser, changing) as page:
        page.open()
        page.find("#tab-filters").click()
        page.find("#filter-tag").focus()
        before = page.find("#filter-tag option").count()
        with page.page.expect_response(WHOLE):
            tell(changing, "tagged", "A fact with a tag.", tags=["brand-new"])
        page.settle()
        expect(page.find("#filter-tag option")).to_have_count(before)
        expect(page.find("#filter-tag")).to_be_focused()
        page.find("#graph").focus()
        expect(page.find("#filter-tag option", has_text="brand-new")).to_have_count(1)


def test_what_stands_is_not_moved_by_nodes_that_come_one_after_the_other(browser: Browser, tmp_path: Path) -> None:
    def read_places() -> dict[str, tuple[float, float]]:
        nodes = server.ask("GET", "/api/v1/graph?compact=true&limit=100").load()["nodes"]
        return dict(zip(nodes["id"], zip(nodes["x"], nodes["y"], strict=True), strict=True))

    with serve(make_store(tmp_path)) as server, view(browser, server) as page:
        with page.page.expect_response("**/graph/positions"):
            page.open()
        before = read_places()
        scripts = Answers(page.page, "**/static/layout-*.js")
        for count, id in enumerate(("first", "second"), start=1):
            tell(server, id, f"The {id} comes. [[Moon]]")
            scripts.wait(count)
        with page.page.expect_response("**/graph/positions"):
            scripts.stop()
        page.rest()
        after = read_places()
        assert after.keys() - before.keys() == {"first", "second"} and None not in after["second"]
        assert {id: after[id] for id in before} == before


def test_what_search_brought_into_a_part_of_the_store_outlives_a_load_before(
    browser: Browser, changing: ServerProcess
) -> None:
    small = re.compile(r"/graph\?compact=true&limit=10000")
    with view(browser, changing) as page:
        page.page.route(small, lambda route: route.fallback(url=route.request.url.replace("limit=10000", "limit=2")))
        page.open()
        expect(page.find("html")).to_have_attribute("data-nodes", re.compile("^[2-4]$"))
        late = Answers(page.page, small)
        tell(changing, "more", "More than the picture holds.")
        late.wait()
        page.search("keys of the harbour")
        page.settle()
        late.stop()
        page.expect_open("Keys of the harbour")
        expect(page.find("#chosen")).to_contain_text("Keys of the harbour")
        page.settle(200)
        page.find("#focus").click()
        expect(page.find("#near")).to_contain_text("near Keys of the harbour")


def test_nodes_come_to_rest_however_long_a_picture_takes(browser: Browser, server: ServerProcess) -> None:
    slow = """
        const { clear } = WebGL2RenderingContext.prototype;
        WebGL2RenderingContext.prototype.clear = function (...given) {
            for (const end = performance.now() + 60; performance.now() < end;);
            clear.apply(this, given);
        };
        const { postMessage } = Worker.prototype;
        window.orders = 0;
        Worker.prototype.postMessage = function (...given) { window.orders++; return postMessage.apply(this, given); };
    """
    with view(browser, server) as page:
        page.page.add_init_script(slow)
        page.open()
        page.find("#arrange").click()
        page.rest()
        assert page.ask("window.orders") <= 12  # not one for each dozen of its 420 steps
