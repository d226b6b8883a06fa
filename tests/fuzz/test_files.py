"""Stores with bytes flipped, cut off, or overwritten: a clear error or a store that works, never a crash or a hang; and
what --fix calls sound is sound."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.doctor.store import make_store
from tests.fuzz.files import treat_damage


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_STORAGE__SYNCHRONOUS", "normal")
        return make_store(tmp_path_factory.mktemp("original"))


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_gives_a_clear_error_or_works(seed: int, original: Path, tmp_path: Path) -> None:
    shutil.copytree(original.parent, tmp_path / "place")
    assert treat_damage(tmp_path / "place" / "store.db", seed) in ("told", "refused", "works")
