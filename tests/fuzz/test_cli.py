"""Command lines as nobody should write them: an exit status of ours and something to read, never a traceback; the store
stays sound."""

from __future__ import annotations

import re
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from remem import Remem
from remem.faces.cli.app import MODULES, REPORT_REQUEST
from tests.faces.command import remem
from tests.fuzz.values import HOSTILE_TEXTS

LEFT_OUT = {"serve", "mcp", "watch", "demo", "bench", "install", "init", "setup", "restore", "reembed", "embed"}
"""What goes on until it is ended, talks on stdin, takes long, or writes elsewhere."""
STATUSES = range(9)
EXAMPLES = 14


def list_options(name: str) -> list[str]:
    """The long options of a command, as its help shows them."""
    shown = remem(name, "--help").both
    return sorted(set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help", "--out", "--db", "--config"})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cli")
    (place / "notes").mkdir()
    (place / "notes" / "a.md").write_text("# A\n\nsee [[b]]\n\n## Part\n\ntext\n", encoding="utf-8")
    (place / "settings.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    with Remem.open_sync(place / "store.db") as opened:
        opened.compile(place / "notes")
        opened.store("# Fact\n\nsee [[A]]", id="m1")
    return place / "store.db"


@pytest.mark.parametrize("name", sorted(set(MODULES) - LEFT_OUT))
def test_a_command_given_anything_says_what_is_wrong(
    name: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))
    texts = [text for text in HOSTILE_TEXTS if "\x00" not in text and len(text) < 1000]
    names = ("m1", "A", "A", "1", "0", "7", "a.md", "notes", *list_options(name))
    words = st.one_of(st.sampled_from(names), st.sampled_from(texts))

    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
        derandomize=True,
        database=None,
    )
    @given(arguments=st.lists(words, max_size=4))
    def call(arguments: list[str]) -> None:
        done = remem("--db", store, "--config", store.parent / "settings.toml", name, *arguments)
        assert done.status in STATUSES, arguments
        assert "Traceback" not in done.both and REPORT_REQUEST not in done.both, (arguments, done.both)
        assert done.status == 0 or done.both.strip(), arguments

    call()
    with Remem.open_sync(store) as opened:
        assert [finding for finding in opened.doctor().findings if finding.fault] == []
