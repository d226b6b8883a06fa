"""Kill -9 at random instants: nothing acknowledged is lost, nothing is half there. The long form: crashes.py."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from tests.campaigns.crashes import kill_migration, kill_restore, play

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.mark.parametrize("seed", [0, 1])
def test_a_killed_process_leaves_all_that_it_acknowledged_and_nothing_by_half(seed: int, tmp_path: Path) -> None:
    play(tmp_path / "world", 5, seed)


def test_a_killed_migration_leaves_the_old_store_or_the_new_one(tmp_path: Path) -> None:
    kill_migration(tmp_path, Random(0))


def test_a_killed_restore_leaves_the_former_store_or_the_backup(tmp_path: Path) -> None:
    kill_restore(tmp_path, Random(0))
