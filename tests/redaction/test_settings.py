"""What the settings of redaction do, and who is who among texts that only redaction made equal."""

from __future__ import annotations

import sqlite3

import pytest

from remem.errors import ConfigError
from remem.ids import text_hash
from tests.redaction.conftest import SECRET, TOKEN, Secrets


def test_texts_that_only_redaction_made_equal_are_not_the_same(secrets: Secrets) -> None:
    first = secrets.remem.store(f"password={SECRET}")
    second = secrets.remem.store(f"password={SECRET}other")
    literal = secrets.remem.store("password=[redacted:password]")
    assert first.content == second.content == literal.content
    assert len({first.id, second.id, literal.id}) == 3


def test_the_same_secret_text_is_known_again_by_every_process_and_call(secrets: Secrets) -> None:
    first = secrets.remem.store(f"password={SECRET}")
    secrets.remem.close()
    with secrets.open() as again:
        stored = again.store(f"password={SECRET}")
        assert (stored.existing, stored.id) == (True, first.id)
        assert again.write(f"password={SECRET}").id == first.id


def test_an_update_to_the_same_secret_text_changes_nothing(secrets: Secrets) -> None:
    memory = secrets.remem.store(f"password={SECRET}")
    before = secrets.remem.stats().snapshots
    secrets.remem.update(memory.id, content=f"password={SECRET}")
    assert secrets.remem.stats().snapshots == before


def test_the_hash_of_a_secret_text_is_not_that_of_the_text(secrets: Secrets) -> None:
    text = f"password={SECRET}"
    secrets.remem.store(text)
    secrets.remem.close()
    with sqlite3.connect(secrets.store) as connection:
        (kept,) = connection.execute("SELECT hash FROM memories").fetchone()
    assert kept not in (text_hash(text), text_hash("password=[redacted:password]"))
    assert secrets.find_traces(text_hash(text).hex(), text_hash(SECRET).hex()) == []


def test_other_settings_have_files_read_again(secrets: Secrets) -> None:
    secrets.write("a.md", f"# A\n\npassword={SECRET} TK-1234\n")
    secrets.remem.compile(secrets.folder)
    secrets.remem.close()
    with secrets.open('[redaction]\npatterns = ["ticket=TK-[0-9]{4}"]\n') as remem:
        assert remem.compile(secrets.folder).files_changed == 1
        assert remem.compile(secrets.folder).snapshot is None
        assert "[redacted:ticket]" in remem.show("A").items[0].text
    with secrets.open("[redaction]\nenabled = false\n") as remem:
        assert remem.compile(secrets.folder).files_changed == 1
        assert SECRET in remem.show("A").items[0].text


def test_kinds_that_are_left_out_are_let_in(secrets: Secrets) -> None:
    secrets.remem.close()
    with secrets.open('[redaction]\nkinds = ["token"]\n') as remem:
        assert remem.store(f"password={SECRET} {TOKEN}").content == f"password={SECRET} [redacted:token]"


def test_a_pattern_of_no_use_is_told_before_anything_is_opened(secrets: Secrets) -> None:
    for pattern in ("x=(", "x=a*", "X=a", "nokind"):
        with pytest.raises(ConfigError, match="patterns"):
            secrets.open(f"[redaction]\npatterns = ['{pattern}']\n")


def test_a_file_that_a_pattern_cannot_be_done_with_is_left_out_and_told(secrets: Secrets) -> None:
    secrets.write("slow.md", "a" * 60 + "b\n")
    secrets.write("fine.md", "text\n")
    secrets.remem.close()
    with secrets.open("[redaction]\npatterns = ['slow=(a|a)+$']\n") as remem:
        report = remem.compile(secrets.folder)
    assert report.files_added == 1
    assert [(problem.source, problem.code) for problem in report.diagnostics] == [("slow.md", "redaction-failed")]


def test_a_rolled_back_document_is_not_read_again_and_again(secrets: Secrets) -> None:
    path = secrets.write("a.md", f"# A\n\npassword={SECRET}\n")
    first = secrets.remem.compile(secrets.folder).snapshot
    path.write_text(f"# A\n\nchanged, password={SECRET}\n")
    secrets.remem.compile(secrets.folder)
    assert first is not None
    secrets.remem.rollback(first)
    again = secrets.remem.compile(secrets.folder)
    assert (again.snapshot, again.files_changed) == (None, 0)
    assert [finding for finding in secrets.remem.doctor().findings if finding.fault] == []
    assert secrets.find_traces(SECRET) == []
