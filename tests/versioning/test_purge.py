"""Purge: a text leaves the history and the file for good; what is there now stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError, RefusedError
from remem.storage.sqlite import choose
from tests.guard import guard_hang
from tests.usage.clock import look
from tests.versioning.vault import Vault, find_newest, list_faults, read_state, tell

SECRETS = ("zebrasecret", "Quaggatitle", "xerustag", "gnureference", "okapifact", "Ibexheading")
ALPHA = (
    "# Alpha\n\nfirst zebrasecret of it #xerustag\n\n## Quaggatitle\n\nmuch money [x] and more\n\n"
    "[x]: gnureference.md\n\n## Ibexheading\n\nthe rest\n"
)
CLEAN = "# Alpha\n\nfirst of it\n\n## Costs\n\nmuch money [x] and more\n\n## Sum\n\nthe rest\n"


@pytest.fixture
def embedded(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Has the store embed what it holds."""
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "hashing")
    return path


def find_left(path: Path) -> dict[str, list[str]]:
    """The secrets that stand somewhere in the raw file, its log or index."""
    files = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
    found = {file.name: [word for word in SECRETS if _stands_in(word, file.read_bytes())] for file in files}
    return {name: words for name, words in found.items() if words}


def _stands_in(word: str, data: bytes) -> bool:
    # The index of texts keeps stems in small letters, without what they share with the word before.
    return word.encode() in data or word[1:-1].casefold().encode() in data


def test_nothing_of_the_old_texts_is_left_in_the_file(embedded: Path, tmp_path: Path) -> None:
    with Remem.open_sync(embedded) as remem:
        vault = Vault(tmp_path / "vault", remem)
        vault.compile(a=ALPHA, b="# Beta\n\nsee [[Alpha]]\n")
        remem.store("# Okapi\n\nokapifact is told", id="m", tags=["xerustag"])
        remem.relate("m", "Quaggatitle")
        remem.settle()
        vault.compile(a=CLEAN)
        remem.update("m", content="a plain fact", tags=[])
        remem.settle()
        assert find_left(embedded)
        state, snapshots = read_state(remem), find_newest(remem)
        done = remem.purge(snapshot=snapshots - 1)
        assert (done.complete, done.texts) == (True, 4)
        assert find_left(embedded) == {}
        assert (read_state(remem), find_newest(remem), list_faults(remem)) == (state, snapshots, [])
        assert remem.search("plain fact")[0].id == "m"
    assert find_left(embedded) == {}


def test_what_is_there_now_stays_and_what_later_snapshots_hold(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\none thing that is said\n")
    vault.compile(a="# A\n\none thing that is said twice\n")
    vault.compile(a="# A\n\none thing that is said three times\n")
    assert remem.purge(snapshot=1).texts == 1
    id = vault.find("one thing that is said three times")
    assert [entry.before for entry in remem.history(id)] == ["one thing that is said twice", None, None]
    assert [entry.purged for entry in remem.history(id)] == [False, True, True]
    assert tell(remem.rollback(2).changes) == [("mod", "one thing that is said twice")]
    with pytest.raises(RefusedError, match="purged"):
        remem.rollback(1)
    with pytest.raises(RefusedError, match="purged"):
        remem.tree(as_of=1)
    assert "(purged)" in remem.history(id).text and "(purged)" in remem.diff(1, 2).text
    assert [change.content for change in remem.delta(1)] == ["one thing that is said twice"]
    assert list_faults(remem) == []


def test_a_rollback_that_needs_no_purged_text_is_free(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\nfirst words of the note\n", b="# B\n\nbody\n")
    vault.compile(a="# A\n\nlast words of the note\n")
    remem.purge(snapshot=find_newest(remem) - 1)
    vault.compile(b="# B\n\nanother body of it\n")
    assert {change.source for change in remem.rollback(1, "b.md").changes} == {"b.md"}
    assert remem.rollback(0, "all").removed == 6
    with pytest.raises(RefusedError):
        remem.rollback(1, "all")


def test_a_note_that_is_gone_is_purged_with_all_that_was_in_it(vault: Vault, remem: RememSync, path: Path) -> None:
    vault.compile(a=ALPHA, b="# Beta\n\nbody\n")
    id = vault.find("Alpha", "document")
    vault.compile(a=ALPHA.replace("the rest", "the rest of okapifact"))
    vault.compile(a=None)
    done = remem.purge(node=id)
    assert (find_left(path), done.complete, list_faults(remem)) == ({}, True, [])
    assert {entry.purged for entry in remem.history(id)} == {True}
    with pytest.raises(RefusedError):
        remem.rollback(1, id)
    vault.compile(a=CLEAN)
    assert list_faults(remem) == []


def test_former_texts_of_a_living_node_are_purged(vault: Vault, remem: RememSync, path: Path) -> None:
    vault.compile(a="# A\n\nfirst zebrasecret of the note\n\nother zebrasecret text\n")
    id = vault.find("first zebrasecret of the note")
    vault.compile(a="# A\n\nfirst thing of the note\n\nother text\n")
    remem.purge(node=id)
    assert [entry.purged for entry in remem.history(id)] == [True, True]
    assert remem.show(id)[0].text == "first thing of the note"
    remem.purge(node=vault.find("A", "document"))
    assert (find_left(path), list_faults(remem)) == ({}, [])


@pytest.mark.parametrize("hard", [True, False])
def test_a_forgotten_memory_is_purged_for_good(hard: bool, remem: RememSync, path: Path) -> None:
    remem.store("okapifact of mine", id="m", metadata={"zebrasecret": 1}, source="Quaggatitle")
    remem.store("it says okapifact too, or rather gnureference", id="n")
    remem.forget("m", hard=hard)
    remem.forget("n")
    remem.purge(node="m")
    assert {word for words in find_left(path).values() for word in words} == {"okapifact", "gnureference"}
    remem.purge(node="n")
    assert (find_left(path), list_faults(remem)) == ({}, [])
    with pytest.raises(NotFoundError):
        remem.get("m", archived=True)
    assert remem.store("another fact", id="m").content == "another fact"


def test_a_purged_text_is_gone_from_every_history(remem: RememSync, path: Path) -> None:
    for id in ("m", "n"):
        remem.store("okapifact", id=id, source=id)
        remem.update(id, content=f"clean {id}")
    remem.purge(node="m")
    assert find_left(path) == {}
    assert [entry.purged for entry in remem.history("n")] == [True, True]


def test_a_purge_says_what_it_wants(remem: RememSync) -> None:
    remem.store("fact", id="m")
    for wrong in ({}, {"snapshot": 1, "node": "m"}):
        with pytest.raises(InvalidInputError):
            remem.purge(**wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        remem.purge(node="nothing")
    with pytest.raises(InvalidInputError):
        remem.purge(snapshot=-1)
    assert remem.purge(node="m").texts == 0


def test_a_reader_in_another_process_keeps_old_bytes_and_that_is_said(
    path: Path, remem: RememSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_STORAGE__BUSY_TIMEOUT", "0.3")
    remem.store("okapifact", id="m")
    remem.update("m", content="clean")
    other = choose().connect(str(path), isolation_level=None)
    other.execute("BEGIN")
    assert other.execute("SELECT content FROM nodes").fetchall() == [("clean",)]
    with Remem.open_sync(path) as second:
        done = second.purge(node="m")
        assert not done.complete and "another process" in done.message
        assert [entry.purged for entry in second.history("m")] == [True, True]
        other.close()
        assert second.purge(node="m").complete
        assert find_left(path) == {}


def test_other_processes_go_on_while_one_purges(path: Path, remem: RememSync) -> None:
    remem.store("okapifact", id="m")
    remem.update("m", content="clean")
    code = (
        "import sys; from remem import Remem\n"
        "with Remem.open_sync(sys.argv[1]) as remem:\n"
        "    print('open', flush=True)\n"
        "    for line in sys.stdin:\n"
        "        remem.store(line)\n"
        "        print(remem.stats().nodes, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout
        with guard_hang("the other process"):
            assert other.stdout.readline() == "open\n"
            for number in range(3):
                other.stdin.write(f"fact {number}\n")
                other.stdin.flush()
                assert remem.purge(snapshot=find_newest(remem)).complete
                assert other.stdout.readline() == f"{number + 2}\n"
    assert (find_left(path), list_faults(remem)) == ({}, [])
    assert look(path, "SELECT count(*) FROM nodes") == [(4,)]


def test_what_a_call_told_of_an_archived_memory_stays_when_the_history_before_is_purged(path: Path) -> None:
    with Remem.open_sync(path) as remem:
        remem.store("# River Plan\n\nfirst text", id="plan")
        remem.summarise("plan", "second text")
        remem.forget("plan")
        for snapshot in (1, 2, 3):
            remem.purge(snapshot=snapshot)
            assert list_faults(remem) == []
        assert remem.unarchive("plan").label == "River Plan"
        assert list_faults(remem) == []


@pytest.mark.parametrize("scope", ["node", "snapshot"])
@pytest.mark.parametrize("text", ["okapifact is known", "# Okapi\n\nokapifact"])
def test_relations_by_id_keep_no_label_that_was_taken_from_a_purged_text(path: Path, scope: str, text: str) -> None:
    with Remem.open_sync(path) as remem:
        remem.store(text, id="m")
        remem.store("another", id="a")
        remem.relate("a", "m", weight=2)
        remem.update("m", content="harmless")
        purged = remem.purge(node="m") if scope == "node" else remem.purge(snapshot=find_newest(remem) - 1)
        assert purged.complete and find_left(path) == {}
        assert [(edge.target_id, edge.weight) for edge in remem.export().edges] == [("m", 2.0)]
        remem.forget("m")
        assert [edge.label for edge in remem.pending()] == ["harmless"]
        remem.unarchive("m")
        assert (list(remem.pending()), list_faults(remem)) == ([], [])


def test_a_paragraph_that_goes_after_its_purge_is_waited_for_by_what_it_said_last(path: Path, tmp_path: Path) -> None:
    with Remem.open_sync(path) as remem:
        vault = Vault(tmp_path / "vault", remem)
        vault.compile(a="# Doc\n\nfirst words stay\n\nokapifact is the word today\n")
        (paragraph,) = [node.id for node in remem.export().nodes if "okapifact" in node.content]
        remem.store("another", id="m")
        remem.relate("m", paragraph)
        vault.compile(a="# Doc\n\nfirst words stay\n\nnothing is the word today\n")
        assert remem.purge(node=paragraph).complete
        vault.compile(a="# Doc\n\nfirst words stay\n")
        assert [edge.label for edge in remem.pending()] == ["nothing is the word today"]
        assert (find_left(path), list_faults(remem)) == ({}, [])
