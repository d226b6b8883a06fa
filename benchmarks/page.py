"""The graph page in headless Chromium: how long until the first picture, frames while it is moved, the size and time of
what it fetches.

    python -m benchmarks.page [--edges 50000] [--large 1000000] [--seconds 4]

The store holds a fifth as many nodes as edges, a seeded power-law graph. Pictures are painted by the processor
(SwiftShader), since headless machines have no graphics card: with one, frames take less. While the picture moves, more
than 12 000 edges are not drawn; the frames in which they come back are the slow ones. Not measured: a network, other
browsers.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from urllib.request import urlopen

from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.traversal import write_store

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WIDTH, HEIGHT = 1440, 900
PATIENCE = 300_000
"""Milliseconds."""
COUNT_FRAMES = """() => {
  window.frames_ = [];
  let last = performance.now();
  const look = (now) => { window.frames_.push(now - last); last = now; window.looking = requestAnimationFrame(look); };
  window.looking = requestAnimationFrame(look);
}"""
TAKE_FRAMES = "() => { cancelAnimationFrame(window.looking); return window.frames_.slice(1); }"


@contextmanager
def serve(store: Path) -> Iterator[tuple[str, int]]:
    """A server of a store; gives its address and the id of its process."""
    command = [sys.executable, "-m", "remem", "--db", str(store), "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = None
        while found is None:
            found = re.search(r"served at (\S+)", process.stdout.readline())
        try:
            yield found[1], process.pid
        finally:
            process.terminate()


def show_times(times: Sequence[float]) -> str:
    """Median, 95th percentile and worst of milliseconds."""
    if len(times) < 2:
        return f"{len(times)} frames only"
    return f"median {median(times):6.1f} ms   p95 {quantiles(times, n=20)[-1]:6.1f} ms   max {max(times):6.1f} ms"


def read_seconds(pid: int) -> float:
    """The processor's time that a process has used, where the system tells it."""
    place = Path(f"/proc/{pid}/stat")
    if not place.exists():
        return 0.0
    fields = place.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_answer(address: str, pid: int, label: str) -> None:
    """What the page fetches."""
    times, size, used = [], 0, 0.0
    for turn in range(11):
        used = read_seconds(pid) if turn == 1 else used
        begin = time.perf_counter()
        with urlopen(f"{address}/api/v1/graph?compact=true&limit=10000") as answer:
            size = len(answer.read())
        times.append((time.perf_counter() - begin) * 1000)
    used = (read_seconds(pid) - used) * 100
    print(f"{label}: /graph first {times[0]:.0f} ms, then {show_times(times[1:])}, of the processor {used:.0f} ms")
    print(f"{label}: {size / 1e6:.2f} MB", flush=True)


def read_work(session: CDPSession) -> float:
    """Seconds of the processor that the page's own thread has worked since the session began."""
    found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"])


def measure_frames(page: Page, label: str, act: str, seconds: float) -> None:
    """Frames while the picture is moved by the mouse or its wheel."""
    x, y = WIDTH / 2, HEIGHT / 2
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = read_work(session)
    page.mouse.move(x, y)
    page.evaluate(COUNT_FRAMES)
    end, turn = time.monotonic() + seconds, 0
    if act == "pan":
        page.mouse.down()
    while time.monotonic() < end:
        turn += 1
        if act == "pan":
            page.mouse.move(x + 150 * (turn % 3 - 1), y + 90 * (turn % 5 - 2), steps=6)
        elif act == "zoom":
            page.mouse.wheel(0, -120 if turn % 12 < 6 else 120)
            page.wait_for_timeout(40)
        else:
            page.mouse.move(x + 7 * (turn % 40) - 140, y + 5 * (turn % 31) - 75)
            page.wait_for_timeout(20)
    if act == "pan":
        page.mouse.up()
    frames = page.evaluate(TAKE_FRAMES)
    work = (read_work(session) - before) * 1000 / max(1, len(frames))
    print(
        f"{label}: {act:5} {show_times(frames)}   ({len(frames)} frames, {work:.1f} ms of the page's thread each)",
        flush=True,
    )


def measure_page(address: str, label: str, seconds: float) -> None:
    """One visit: the first picture, the arranging, the frames."""
    browser_path = next(found for name in NAMES if (found := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, bypass_csp=True)
        context.set_default_timeout(PATIENCE)
        for visit in ("first visit", "next visit"):
            page = context.new_page()
            begin = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("html[data-ready=true]")
            shown = time.perf_counter() - begin
            page.wait_for_selector("#arrange[aria-pressed=false]")
            print(
                f"{label}: {visit}: picture after {shown:.2f} s, at rest after {time.perf_counter() - begin:.1f} s",
                flush=True,
            )
            for act in ("pan", "zoom", "point") if visit == "next visit" else ():
                measure_frames(page, label, act, seconds)
            page.close()
        print(f"chromium {browser.version}")
        browser.close()


def measure_store(folder: Path, edges: int, seconds: float) -> None:
    """All figures of one size."""
    label = f"{edges // 5} nodes, {edges} edges"
    store = folder / f"{edges}.db"
    write_store(store, edges, "mixed", False)
    with serve(store) as (address, pid):
        measure_answer(address, pid, label)
        measure_page(address, label, seconds)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Times the graph page in headless Chromium.")
    parser.add_argument("--edges", type=int, default=50_000)
    parser.add_argument(
        "--large", type=int, default=1_000_000, help="edges of a store larger than the picture; 0: none"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="how long the picture is moved in each way")
    options = parser.parse_args()
    print(f"python {platform.python_version()}, {platform.machine()}, {WIDTH} x {HEIGHT}")
    with tempfile.TemporaryDirectory() as name:
        for edges in filter(None, (options.edges, options.large)):
            measure_store(Path(name), edges, options.seconds)


if __name__ == "__main__":
    main()
