"""Many processes that write to one store at once lose nothing and wait for each other. The long form: writers.py."""

from __future__ import annotations

from pathlib import Path

from tests.campaigns.writers import play

SECONDS = 4.0


def test_servers_clients_and_compiles_share_a_store_and_lose_nothing(tmp_path: Path) -> None:
    calls = play(tmp_path, SECONDS, seed=0)
    assert calls["compile"] and calls["write"] and calls["store_memory"]
