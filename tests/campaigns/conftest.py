"""What campaigns within this process share: an embedder that is quick."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _quick_embedder(monkeypatch: pytest.MonkeyPatch, _plain_environment: None) -> None:
    """Texts with the same words are alike, and no model is loaded."""
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "hashing")
