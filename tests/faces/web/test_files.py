"""The files of the graph page as they are sent."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from remem.config import load_settings
from remem.engine import Remem
from remem.faces.rest.app import build_app
from remem.faces.rest.options import ServerOptions
from remem.faces.web.files import FOLDER, GraphPage

TOP = Path(__file__).resolve().parents[3]
WEB = TOP / "web"
KEY = "a-key-that-is-long-enough"


class Service:
    """A service that wants a key, asked within the process."""

    def __init__(self, portal: BlockingPortal, remem: Remem) -> None:
        self._portal, self._remem = portal, remem

    def ask(self, method: str, path: str, page: GraphPage | None = None, **headers: str) -> httpx2.Response:
        """One answer. Header names are given with `_` for `-`."""

        async def run() -> httpx2.Response:
            app = build_app(self._remem, ServerOptions(api_keys=(KEY,)), {"/": page or GraphPage()})
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                sent = {name.replace("_", "-"): value for name, value in headers.items()}
                return await client.request(method, path, headers=sent)

        return self._portal.call(run)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    async def start() -> Remem:
        return await Remem(load_settings(environ={}, overrides={"storage.path": str(path)})).start()

    path = tmp_path_factory.mktemp("page") / "memory.db"
    with start_blocking_portal() as portal:
        remem = portal.call(start)
        yield Service(portal, remem)
        portal.call(remem.close)


def list_files() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def test_the_page_is_sent_under_a_strict_policy(service: Service) -> None:
    answer = service.ask("GET", "/")
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "style-src 'self';" in policy
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
    assert "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy and "form-action 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-cache"
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', answer.text)
    assert len(named) == 2 and set(named) <= set(list_files())
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=", answer.text)


def test_nothing_in_the_page_is_fetched_from_elsewhere() -> None:
    text = "".join(
        (FOLDER / name).read_text(encoding="utf-8") for name in list_files() if name.endswith((".html", ".css"))
    )
    places = set(re.findall(r"(?:https?:)?//[\w.]+", text))
    assert places <= {"http://www.w3.org"}  # the name of a language, which nobody fetches


def test_files_whose_names_say_what_they_hold_are_kept_and_the_page_is_asked_for_again(service: Service) -> None:
    for name in list_files():
        answer = service.ask("GET", f"/static/{name}")
        assert answer.status_code == 200 and answer.content == (FOLDER / name).read_bytes()
        assert ("immutable" in answer.headers["cache-control"]) == ("-" in name), name
        assert answer.headers["content-security-policy"]
    script = next(name for name in list_files() if name.startswith("app-") and name.endswith(".js"))
    assert "javascript" in service.ask("GET", f"/static/{script}").headers["content-type"]


def test_what_is_known_already_is_not_sent_again(service: Service) -> None:
    first = service.ask("GET", "/")
    again = service.ask("GET", "/", If_None_Match=first.headers["etag"])
    assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == first.headers["etag"]
    assert service.ask("GET", "/", If_None_Match='"other"').status_code == 200
    head = service.ask("HEAD", "/")
    assert head.status_code == 200 and head.content == b"" and int(head.headers["content-length"]) == len(first.content)


@pytest.mark.parametrize(
    "path", ["/static/", "/static/none.js", "/static/../files.py", "/static/%2e%2e/files.py", "/static/..%2ffiles.py",
             "/static//index.html", "/static/index.html/", "/static/%00", "/index.html", "/favicon.ico"],
)  # fmt: skip
def test_what_is_not_there_is_not_found_whatever_the_path_says(service: Service, path: str) -> None:
    answer = service.ask("GET", path, Authorization=f"Bearer {KEY}")
    assert answer.status_code == 404 and answer.json()["code"] == "not_found"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_the_page_is_only_read(service: Service, method: str) -> None:
    assert service.ask(method, "/", Authorization=f"Bearer {KEY}").status_code in (404, 405)


def test_an_installation_without_the_files_says_so(service: Service, tmp_path: Path) -> None:
    answer = service.ask("GET", "/", GraphPage(tmp_path))
    assert answer.status_code == 404 and "install the package again" in answer.json()["detail"]


# --- the bundle -------------------------------------------------------------------------------------------------------


def test_the_bundle_was_made_of_the_sources_that_are_there() -> None:
    lines = [line.split("  ") for line in (FOLDER / "SOURCES.txt").read_text(encoding="utf-8").splitlines()]
    told = {name: hashed for hashed, name in lines}
    sources = [path for path in (WEB / "src").iterdir() if path.is_file()] + [
        WEB / "build.mjs",
        WEB / "package-lock.json",
    ]
    there = {path.relative_to(WEB).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in sources}
    assert there == told, "run `npm ci && node build.mjs` in web/"


def test_building_again_gives_the_same_bundle(tmp_path: Path) -> None:
    if not (WEB / "node_modules").is_dir() or shutil.which("node") is None:
        return  # what the sources hash to says enough
    copy = tmp_path / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(WEB / "node_modules")
    subprocess.run(["node", "build.mjs"], cwd=copy, check=True, capture_output=True, timeout=120)
    made = tmp_path / "remem" / "faces" / "web" / "static"
    assert {path.name: path.read_bytes() for path in made.iterdir()} == {
        path.name: path.read_bytes() for path in FOLDER.iterdir()
    }
