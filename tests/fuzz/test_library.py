"""Every method of the library, with values of any type: a clear error of ours, or an answer; the store stays sound, and
what was refused changed nothing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy  # noqa: F401 (before a store loads it on a thread, for hypothesis looks at it meanwhile)
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, RememError
from tests.campaigns.imprint import take_imprint
from tests.fuzz.values import ODD, TEXTS

LEFT_OUT = {
    "close", "settle", "embed", "reembed", "run_task", "pause_task", "resume_task", "backup", "export_markdown",
    "wait_change", "wait_watches",
}  # fmt: skip
"""What waits for work or for others, or writes to paths that it is given."""
NAMES = sorted(
    name
    for name, method in inspect.getmembers(RememSync, inspect.isfunction)
    if not name.startswith("_") and name not in LEFT_OUT
)
PATHS = {"path", "folder"}
ROUNDS = settings(
    max_examples=25,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize=True,
    database=None,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


@pytest.fixture(scope="module")
def remem(place: Path) -> Iterator[RememSync]:
    (place / "notes").mkdir()
    (place / "notes" / "a.md").write_text("# A\n\nsee [[b]]\n\n## Part\n\ntext\n", encoding="utf-8")
    (place / "settings.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    with Remem.open_sync(place / "store.db", config=place / "settings.toml") as opened:
        opened.compile(place / "notes")
        opened.store("# Fact\n\nsee [[A]]", id="m1")
        opened.store("another", id="m2")
        yield opened
        assert [finding for finding in opened.doctor().findings if finding.fault] == []


def make_call(name: str, known: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a method: those that it needs, some others, of any type."""
    parameters = [p for p in inspect.signature(getattr(Remem, name)).parameters.values() if p.name != "self"]
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY, p.POSITIONAL_ONLY)]
    values = st.one_of(st.sampled_from(known), TEXTS, ODD)
    texts = st.one_of(TEXTS.map(lambda text: f"/nowhere/{text}"), ODD.filter(lambda value: not isinstance(value, str)))
    fields = {p.name: texts if p.name in PATHS else values for p in named if p.name != "progress"}
    needed = {p.name: fields[p.name] for p in named if p.default is p.empty and p.name in fields}
    others = {name: value for name, value in fields.items() if name not in needed}
    return st.fixed_dictionaries(needed, optional=others)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_given_anything_answers_or_says_what_is_wrong(name: str, remem: RememSync, place: Path) -> None:
    known = ["m1", "m2", *(node.id for node in remem.export().nodes)]
    method = getattr(remem, name)
    signature = inspect.signature(getattr(Remem, name))
    first = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_ONLY and p.name != "self"]

    @ROUNDS
    @given(arguments=make_call(name, known))
    def call(arguments: dict[str, Any]) -> None:
        before = take_imprint(place / "store.db")
        positional = [arguments.pop(given) for given in first]
        try:
            method(*positional, **arguments)
        except RememError as error:
            assert error.message and error.code
            assert take_imprint(place / "store.db") == before

    call()


def test_waiting_for_a_change_with_values_of_the_wrong_kind_is_refused_at_once(remem: RememSync) -> None:
    for wrong in ({"version": "x"}, {"poll": None}, {"quiet": float("nan")}, {"longest": -1}):
        with pytest.raises(RememError):
            remem.wait_change(**{"version": 1, "poll": 0.01, "quiet": 0.01, "longest": 0.1, **wrong})  # type: ignore[arg-type]


def test_lists_and_paths_of_the_wrong_kind_are_refused_by_name(remem: RememSync) -> None:
    calls: tuple[Any, ...] = (
        lambda: remem.get_batch(None),  # type: ignore[arg-type]
        lambda: remem.get_batch([["m1"]]),  # type: ignore[list-item]
        lambda: remem.picture(5),  # type: ignore[arg-type]
        lambda: remem.neighbourhood(5),  # type: ignore[arg-type]
        lambda: remem.place(["m1"]),  # type: ignore[list-item]
        lambda: remem.compile(5),  # type: ignore[arg-type]
        lambda: remem.import_file(None),  # type: ignore[arg-type]
        lambda: remem.export_markdown(7),  # type: ignore[arg-type]
        lambda: remem.unwatch("\ud800"),
    )
    for call in calls:
        with pytest.raises(InvalidInputError):
            call()
