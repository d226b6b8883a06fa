"""What the doctor tells beside faults: links that wait, are in doubt or use an earlier name, each with what may be
meant; and by which status its command ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from tests.doctor.store import change
from tests.faces.command import remem as run_command

NOTES = {
    "a.md": "# A\n\nsee [[Qarterly report]], [[Twin]] and [[Former]]\n",
    "b.md": "# Quarterly report\n",
    "x/c.md": "# Twin\n\nfirst\n",
    "y/c.md": "# Twin\n\nsecond\n",
    "d.md": "# Former\n\nthe text that stays\n",
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    for source, text in NOTES.items():
        (tmp_path / "notes" / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / source).write_text(text, encoding="utf-8")
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(tmp_path / "notes")
        (tmp_path / "notes" / "d.md").write_text("# Present\n\nthe text that stays\n", encoding="utf-8")
        remem.compile(tmp_path / "notes")
    return tmp_path / "store.db"


def list_told(store: Path, check: str) -> list[str]:
    with Remem.open_sync(store) as remem:
        return [finding.message for finding in remem.doctor().findings if finding.check == check]


def test_a_link_that_leads_nowhere_is_listed_with_what_it_may_mean(store: Path) -> None:
    (message,) = list_told(store, "broken")
    assert message.startswith("[[Qarterly report]] in a.md leads nowhere; perhaps Quarterly report")
    assert list_told(store, "pending") == ["1 link waits for its target; `remem pending` lists them"]


def test_a_link_that_could_mean_several_nodes_is_listed_with_what_would_say_which(store: Path) -> None:
    (message,) = list_told(store, "ambiguous")
    assert message.startswith("[[Twin]] in a.md could mean several nodes; it leads to Twin ")
    assert "a path, or id=" in message


def test_a_link_by_an_earlier_name_is_listed_with_the_one_of_now(store: Path) -> None:
    (message,) = list_told(store, "stale")
    assert message.startswith("[[Former]] in a.md uses an earlier name of Present ")
    assert "write [[Present]]" in message


def test_many_links_of_a_kind_are_cut_and_counted(store: Path) -> None:
    links = " ".join(f"[[Quarterly reprt {number}]]" for number in range(30))
    (store.parent / "notes" / "e.md").write_text(f"{links}\n", encoding="utf-8")
    with Remem.open_sync(store) as remem:
        remem.compile(store.parent / "notes")
    told = list_told(store, "broken")
    assert len(told) <= 21
    assert told[-1].endswith("more of them") or len(told) < 21


def test_findings_end_with_status_0_faults_with_1_until_they_are_mended(store: Path) -> None:
    assert run_command("--db", store, "doctor").status == 0
    assert change(store, "DELETE FROM names", "DELETE FROM edges")
    done = run_command("--db", store, "doctor")
    assert (done.status, "`remem doctor --fix`" in done.both) == (1, True)
    fixed = run_command("--db", store, "doctor", "--fix")
    assert (fixed.status, "repaired" in fixed.both) == (0, True)
    assert run_command("--db", store, "doctor", "--json").load()["healthy"]


def test_a_repair_tells_nothing_new_of_what_cannot_be_mended(store: Path) -> None:
    """A text of a document that never was is truth that was lost."""
    assert change(store, "UPDATE nodes SET document = 99999 WHERE content = 'first'")
    assert run_command("--db", store, "doctor", "--fix").status == 1
    assert run_command("--db", store, "doctor").status == 1
