"""Word of each change of the store, to whoever listens."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import pytest

from remem.errors import RateLimitError
from remem.faces.rest import changes
from tests.faces.rest.site import Site
from tests.faces.server_process import make_environment

PATIENCE = 60.0
TASK = "follow the store"


def listen(site: Site) -> AsyncGenerator[bytes, None]:
    return cast("AsyncGenerator[bytes, None]", site.app.changes.listen())


def take(site: Site, stream: AsyncGenerator[bytes, None]) -> bytes | None:
    """What comes next; None where the stream has ended."""

    async def read() -> bytes | None:
        async with asyncio.timeout(PATIENCE):
            return await anext(stream, None)

    return site.portal.call(read)


def follows(site: Site) -> bool:
    """Whether a task looks for changes."""

    async def look() -> bool:
        return any(task.get_name() == TASK for task in asyncio.all_tasks())

    return site.portal.call(look)


def end(site: Site, stream: AsyncGenerator[bytes, None]) -> None:
    site.portal.call(stream.aclose)


def begin(site: Site) -> AsyncGenerator[bytes, None]:
    """A stream that has begun, whose task has looked at the store once."""
    stream = listen(site)
    assert take(site, stream) == b": listening\n\n"
    site.run(site.remem.marks)
    site.portal.call(asyncio.sleep, 0)
    site.run(site.remem.data_version)
    return stream


def test_every_listener_hears_of_a_write_of_the_service_itself(site: Site) -> None:
    streams = [begin(site), begin(site)]
    site.store("one", "A fact.")
    for stream in streams:
        assert take(site, stream) == b'event: change\ndata: {"number":1}\n\n'
        end(site, stream)


def test_a_write_of_another_process_is_heard(site: Site, tmp_path: Path) -> None:
    stream = begin(site)
    (tmp_path / "note.md").write_text("# A note\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "remem",
        "--db",
        str(site.settings.storage.path),
        "compile",
        str(tmp_path / "note.md"),
    ]
    subprocess.run(command, env=make_environment(), check=True, capture_output=True, timeout=PATIENCE)
    assert (take(site, stream) or b"").startswith(b"event: change\n")
    assert site.get("/graph", compact="true")["nodes"]["label"] == ["A note"]
    end(site, stream)


def test_where_nodes_were_put_is_no_news(site: Site) -> None:
    site.store("one", "A fact.")
    stream = begin(site)
    site.ask("PUT", "/graph/positions", json={"positions": [{"id": "one", "x": 1, "y": 1}]})
    site.get("/memories/one")
    site.store("two", "Another.")
    assert take(site, stream) == b'event: change\ndata: {"number":1}\n\n'
    end(site, stream)


def test_more_listeners_than_are_allowed_are_told_to_come_later(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST_LISTENERS", 2)
    streams = [begin(site), begin(site)]
    with pytest.raises(RateLimitError) as told:
        listen(site)
    assert told.value.facts["retry_after"] == 30
    problem = site.refuse("GET", "/events", 429, "rate_limited")
    assert "2 clients listen already" in problem["detail"]
    end(site, streams[0])
    streams[0] = begin(site)
    for stream in streams:
        end(site, stream)


def test_nothing_looks_for_changes_once_nobody_listens(site: Site) -> None:
    assert not follows(site)
    one, two = begin(site), begin(site)
    assert follows(site)
    end(site, one)
    assert follows(site)
    end(site, two)
    site.wait(lambda: None if follows(site) else True)


def test_streams_end_when_the_service_closes(site: Site) -> None:
    stream = begin(site)
    site.portal.call(site.app.close)
    site.portal.call(site.app.close)
    assert take(site, stream) is None and not follows(site)
    late = listen(site)
    assert take(site, late) == b": listening\n\n" and take(site, late) is None
