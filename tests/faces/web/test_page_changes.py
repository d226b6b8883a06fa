"""The graph page while the store changes, by the page itself or by others, and while the service is away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")

from playwright.sync_api import Browser, expect

from remem import Remem
from tests.faces.server_process import PATIENCE, ServerProcess, make_environment
from tests.faces.web.browser import View, view
from tests.faces.web.conftest import make_store, serve, write_notes

KEY = "a-key-that-is-long-enough"


def compile_notes(store: Path) -> None:
    """Compiles the notes beside a store, by a process of its own."""
    command = [sys.executable, "-m", "remem", "--db", str(store), "compile", str(store.parent / "notes")]
    subprocess.run(command, env=make_environment(), check=True, capture_output=True, timeout=PATIENCE)


def read_picture(server: ServerProcess) -> Any:
    return server.ask("GET", "/api/v1/graph?compact=true&limit=10000").load()


def test_a_connection_is_added_and_removed(browser: Browser, server: ServerProcess) -> None:
    with view(browser, server) as page:
        page.open("#node=Moon")
        page.expect_open("Moon")
        expect(page.find("#connect-submit")).to_be_disabled()
        page.find("#connect-to").fill("pier keys")
        page.find("#connect-hits .choice").first.click()
        expect(page.find("#connect-chosen")).to_have_text("to Keys")
        page.find("#connect-type").select_option("supports")
        page.find("#connect-strength").fill("0.5")
        page.find("#connect-submit").click()
        row = page.find(".relation", has_text="supports 0.5")
        expect(row.locator(".way button")).to_have_text("Keys")
        expect(page.find("#figures")).to_contain_text("5 edges")
        (made,) = server.ask("GET", "/api/v1/connections?origin=manual").load()["connections"]
        row.get_by_role("button", name="Remove the connection to Keys").click()
        expect(page.find("dialog")).to_contain_text("Moon → Keys (supports, weight 0.5)")
        page.find("dialog button", has_text="Keep").click()
        expect(row).to_be_visible()
        row.get_by_role("button", name="Remove the connection to Keys").click()
        page.find("dialog button.primary").click()
        expect(row).to_have_count(0)
        expect(page.find("#figures")).to_contain_text("4 edges")
        assert made["connection"]["relationship_type"] == "supports"
        assert server.ask("GET", "/api/v1/connections?origin=manual").load()["connections"] == []


def test_a_connection_that_a_text_owns_stays_and_it_is_said_where(browser: Browser, server: ServerProcess) -> None:
    with view(browser, server) as page:
        page.open("#node=Moon")
        page.find(".relation").get_by_role("button", name="Remove the connection to Tide table").click()
        page.find("dialog button.primary").click()
        expect(page.find(".relations [role=alert]")).to_contain_text("tides.md")
        expect(page.find(".relation")).to_have_count(1)


def test_a_node_is_pinned(browser: Browser, server: ServerProcess) -> None:
    with view(browser, server) as page:
        page.open("#node=Moon")
        page.find("#pin").focus()
        page.find("#pin").press("Enter")
        expect(page.find("#pin")).to_have_text("Unpin")
        expect(page.find("#pin")).to_be_focused()
        picture = read_picture(server)
        assert picture["nodes"]["pinned"][picture["nodes"]["label"].index("Moon")] == 1


def test_a_memory_tells_what_it_is(browser: Browser, server: ServerProcess) -> None:
    fields = {"tags": ["pier"], "importance": 0.8, "source": "the harbour master"}
    made = server.ask("POST", "/api/v1/memories", {"id": "six", "content": "The pier closes at six.", **fields})
    assert made.status == 201
    with view(browser, server) as page:
        page.open("#node=six")
        page.expect_open("The pier closes at six.")
        for fact in ("long-term", "importance 0.8", "from the harbour master", "stored 2"):
            expect(page.find(".facts")).to_contain_text(fact)
        expect(page.find(".tags")).to_have_text("#pier")


def test_what_another_process_changes_shows_at_once(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store) as server, view(browser, server) as page:
        page.open()
        page.find("#tab-pending").click()
        page.find("#pending-pane .choice").click()
        page.expect_open("Runbook to come")
        write_notes(tmp_path / "notes", {"run.md": "# Runbook to come\n\nHere it is.\n"})
        compile_notes(store)
        expect(page.find("#panel .prose")).to_contain_text("Here it is.")
        expect(page.find("#figures")).to_have_text("8 nodes · 5 edges")
        expect(page.find("#pending-pane")).to_contain_text("Every link leads somewhere.")
        (tmp_path / "notes" / "run.md").unlink()
        compile_notes(store)
        expect(page.find("#panel")).to_contain_text("This is gone")
        expect(page.find("#figures")).to_have_text("7 nodes · 4 edges · 1 waiting")


def test_what_somebody_types_outlives_a_change_of_the_store(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store) as server, view(browser, server) as page:
        page.open("#node=Moon")
        page.expect_open("Moon")
        page.find("#connect-type").select_option("supports")
        page.find("#connect-to").fill("half a wor")
        write_notes(tmp_path / "notes", {"Moon.md": "# Moon\n\nIt pulls harder.\n"})
        compile_notes(store)
        expect(page.find("#panel .prose")).to_contain_text("harder")
        expect(page.find("#connect-to")).to_have_value("half a wor")
        expect(page.find("#connect-to")).to_be_focused()
        expect(page.find("#connect-type")).to_have_value("supports")


def test_nodes_stand_where_they_stood_on_the_next_visit(browser: Browser, tmp_path: Path) -> None:
    with serve(make_store(tmp_path)) as server:
        with view(browser, server) as page, page.page.expect_response("**/graph/positions"):
            page.open()
        before = read_picture(server)["nodes"]
        assert None not in before["x"] and len({*zip(before["x"], before["y"], strict=True)}) == len(before["id"])
        with view(browser, server) as page:
            page.open()
            page.rest()
        after = read_picture(server)["nodes"]
        assert {key: after[key] for key in ("id", "x", "y")} == {key: before[key] for key in ("id", "x", "y")}


def test_an_empty_store_says_what_to_do_and_fills_while_it_is_watched(browser: Browser, tmp_path: Path) -> None:
    with serve(tmp_path / "memory.db") as server, view(browser, server) as page:
        page.open()
        expect(page.find("#empty")).to_contain_text("Nothing is remembered yet")
        for key in ("Enter", "ArrowLeft", "f", "e", "0", "Escape"):
            page.find("#graph").press(key)
        assert server.ask("POST", "/api/v1/memories", {"content": "The only fact.", "id": "only"}).status == 201
        expect(page.find("#figures")).to_have_text("1 nodes · 0 edges")
        expect(page.find("#empty")).to_be_hidden()
        page.find("#graph").press("Enter")
        page.expect_open("The only fact.")
        expect(page.find(".relations")).to_contain_text("Nothing is linked to it yet.")
        page.rest()
        assert server.ask("DELETE", "/api/v1/memories/only").status == 200
        expect(page.find("#empty")).to_be_visible()


# --- keys, and a service that is away ---------------------------------------------------------------------------------


def test_the_key_is_asked_for_once_and_kept(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store, REMEM_API_KEY=KEY) as server, view(browser, server) as page:
        page.page.goto(server.address)
        expect(page.find("dialog")).to_contain_text("This store asks for a key")
        expect(page.find("#key")).to_be_focused()
        page.find("#key").fill("wrong")
        page.page.keyboard.press("Enter")
        expect(page.find("dialog")).to_contain_text("That key was refused.")
        page.find("#key").fill(KEY)
        page.find("#keep").check()
        page.page.keyboard.press("Enter")
        page.wait_ready()
        expect(page.find("#figures")).to_contain_text("7 nodes")
        page.page.reload()
        page.wait_ready()
        expect(page.find("#figures")).to_contain_text("7 nodes")
        expect(page.find("dialog")).to_be_hidden()


def test_who_gives_no_key_is_not_asked_again_and_again(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store, REMEM_API_KEY=KEY) as server, view(browser, server) as page:
        page.page.goto(server.address)
        expect(page.find("#key")).to_be_focused()
        page.page.keyboard.press("Escape")
        expect(page.find("#banner")).to_contain_text("This store asks for a key.")
        page.wait_ready()
        expect(page.find("dialog")).to_be_hidden()
        page.find("#ask-key").click()
        expect(page.find("dialog")).to_contain_text("This store asks for a key")


def test_a_service_that_goes_away_and_comes_back_is_found_again(browser: Browser, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    with serve(store) as server, view(browser, server) as page:
        page.open("#node=Moon")
        page.expect_open("Moon")
        port = server.port
        page.lost = True
        assert server.stop() == 0
        expect(page.find("#banner")).to_contain_text("The service went away.")
        expect(page.find("html")).to_have_attribute("data-nodes", "8")
        write_notes(tmp_path / "notes", {"new.md": "# New\n\n[[Moon]]\n"})
        compile_notes(store)
        with serve(store, port=port):
            expect(page.find("#banner")).to_be_hidden()
            expect(page.find("#figures")).to_contain_text("8 nodes · 5 edges")
            expect(page.find(".relation")).to_have_count(2)


# --- what notes say ---------------------------------------------------------------------------------------------------

HOSTILE = """# <img src=x onerror=alert(1)><script>window.ran=1</script>

<script>window.ran=1</script>
<img src="https://elsewhere.invalid/spy.png" onerror="window.ran=1">
<svg onload="window.ran=1"><a href="javascript:window.ran=1">svg</a></svg>
<iframe src="javascript:parent.ran=1"></iframe><style>body{display:none}</style>

[one](javascript:window.ran=1) [two](JaVaScRiPt:window.ran=1) [three](data:text/html,<script>window.ran=1</script>)
[four](vbscript:x) [five](&#106;avascript:window.ran=1) [six](\x01javascript:window.ran=1) <javascript:window.ran=1>

![spy](https://elsewhere.invalid/spy.png) ![x](x" onerror="window.ran=1)

[[<img src=x onerror=window.ran=1>|"><script>window.ran=1</script>]] [[x" onclick="window.ran=1]]
[[javascript:window.ran=1]]

| left | middle | right |
|:-----|:------:|------:|
| a    | b      | c     |

```<script>
window.ran=1
```

#"><script>window.ran=1</script> {{constructor.constructor('window.ran=1')()}}
"""
LONG = "L" * 10_000


def check_harmless(page: View) -> None:
    """Nothing of a note has run; what the browser had to keep away is among the faults of the page."""
    assert page.ask("typeof window.ran") == "undefined"
    for tag in ("script", "iframe", "img", "style", "object", "svg", "form"):
        expect(page.find(f".panel .prose {tag}")).to_have_count(0)
    names = "[...document.querySelectorAll('.prose *')].flatMap(e => e.getAttributeNames())"
    assert not {name for name in page.ask(names) if name == "style" or name.startswith("on")}
    assert page.ask(
        "[...document.querySelectorAll('a')].every(a => /^(#|https?:|mailto:)/.test(a.getAttribute('href')))"
    )


def test_nothing_that_a_note_or_a_name_says_can_run(browser: Browser, tmp_path: Path) -> None:
    notes = {
        "hostile.md": HOSTILE,
        "other.md": f"# Other\n\n[[hostile]] [[{LONG[:900]}]]\n",
        "rtl.md": "# مرحبا 👩\u200d👧 \u202ebidi\n",
    }
    store = make_store(tmp_path, notes)
    with Remem.open_sync(store) as remem:
        remem.store(HOSTILE, id="memory", tags=['<b onclick="window.ran=1">'])
        remem.store(LONG, id="long")
    with serve(store) as server, view(browser, server) as page:
        page.open()
        page.rest()
        page.search("svg middle right")
        page.find(".prose td").first.wait_for()
        page.find(".relation").first.wait_for()
        check_harmless(page)
        expect(page.find(".prose .align-center").first).to_have_css("text-align", "center")
        for link in range(page.find(".prose a[href='#']").count()):
            page.open("#node=memory")
            page.find(".prose td").first.wait_for()
            page.find(".prose a[href='#']").nth(link).click()
            check_harmless(page)
        for node in ("memory", "long", "other"):
            page.page.goto(f"{server.address}/#node={node}")
            page.find(".panel h2").wait_for()
            check_harmless(page)
        page.find("#tab-pending").click()
        page.find("#pending-pane .choice").first.click()
        check_harmless(page)
        assert page.ask("document.documentElement.scrollWidth") <= 1200
