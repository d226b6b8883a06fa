"""Any calls in any order leave a sound store that is what a fresh one of its texts would be. The long form:
stateful.py."""

from __future__ import annotations

import pytest

from tests.campaigns.comparing import list_faults
from tests.campaigns.stateful import StoreMachine, play


def test_whatever_is_done_the_store_is_sound_equals_a_fresh_one_and_both_engines_agree() -> None:
    play(examples=9, steps=14)


def test_the_machine_sees_damage() -> None:
    machine = StoreMachine()
    try:
        machine.clerks["notes"].write(machine.clerks["notes"].folder / "a.md", "# A\n\nsee [[b]]\n")
        machine.compile("notes")
        machine.check()
        machine.follower.connection.execute("UPDATE nodes SET station = document WHERE kind = 'text'")
        machine.follower.connection.execute("DELETE FROM links")
        assert list_faults(machine.remem)
        with pytest.raises(AssertionError):
            machine.check()
    finally:
        machine.teardown()
