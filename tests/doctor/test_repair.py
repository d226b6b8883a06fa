"""Whatever becomes of rows that follow from others: the doctor finds it, and --fix makes them again as they were."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from remem import Remem
from remem.records import DoctorReport
from tests.doctor.damages import DERIVED, MENDED
from tests.doctor.store import change, dump, make_store

Dump = dict[str, list[tuple[object, ...]]]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Dump]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_STORAGE__SYNCHRONOUS", "normal")
        path = make_store(tmp_path_factory.mktemp("original"))
    yield path, dump(path)


class Treated(NamedTuple):
    """What the doctor said of a store before and after the repair."""

    before: DoctorReport
    after: DoctorReport


def treat(path: Path) -> Treated:
    """Has the doctor look at a store and repair it; then the work owed is done."""
    with Remem.open_sync(path, config=path.parent / "settings.toml") as remem:
        treated = Treated(remem.doctor(), remem.doctor(fix=True))
        remem.settle()
    return treated


def tell(report: DoctorReport) -> list[str]:
    return [f"{finding.check}: {finding.message}" for finding in report.findings if finding.fault]


def copy_store(original: Path, place: Path) -> Path:
    shutil.copy(original.parent / "settings.toml", place)
    return Path(shutil.copy(original, place / "store.db"))


def test_every_derived_table_is_damaged_here_and_every_table_compared(original: tuple[Path, Dump]) -> None:
    before = original[1]
    empty = {table for table, rows in before.items() if not rows}
    assert empty <= {"jobs", "mention_work", "former_entities", "former_roots"}
    assert DERIVED.keys() | MENDED.keys() <= before.keys()


def test_a_sound_store_stays_as_it_is(original: tuple[Path, Dump], tmp_path: Path) -> None:
    path = copy_store(original[0], tmp_path)
    treated = treat(path)
    assert (tell(treated.before), treated.after.fixed) == ([], 0)
    assert dump(path) == original[1]


@pytest.mark.parametrize(("table", "damage"), [(table, damage) for table in DERIVED for damage in DERIVED[table]])
def test_what_follows_from_others_is_made_again(
    table: str, damage: str, original: tuple[Path, Dump], tmp_path: Path
) -> None:
    path = copy_store(original[0], tmp_path)
    assert change(path, DERIVED[table][damage])
    treated = treat(path)
    assert tell(treated.before)
    assert tell(treated.after) == []
    after = dump(path)
    assert {name: rows for name, rows in after.items() if rows != original[1][name]} == {}


@pytest.mark.parametrize(("table", "damage"), [(table, damage) for table in MENDED for damage in MENDED[table]])
def test_what_nothing_else_tells_is_made_sound(
    table: str, damage: str, original: tuple[Path, Dump], tmp_path: Path
) -> None:
    path = copy_store(original[0], tmp_path)
    assert change(path, MENDED[table][damage])
    assert tell(treat(path).after) == []
    assert tell(treat(path).before) == []
