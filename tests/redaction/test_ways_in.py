"""No way into the store leaves a trace of a secret in its files: not in tables, indexes, history or SQLite's log."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from remem.errors import InvalidInputError, RememError
from remem.records import MemoryType
from tests.redaction.conftest import SECRET, TOKEN, Secrets

FILES = {
    "a.md": "---\ntitle: T {t}\npassword: {s}\naliases: ['{t}']\ntags: [x, 'password={s}']\n---\n# Head {t}\n"
    "\npassword={s}\n",
    "b.md": "| password | {s} |\n| --- | --- |\n| token | {t} |\n\n[{t}](a.md) [[{t}]] ![[{t}]] <a title='{t}'>x</a>\n",
    "c.md": "```sh\nexport DB_PASSWORD={s}\n```\n\n> https://u:{s}@host.example/\n\n- *password*: `{s}`\n",
    "d.html": "<title>{t}</title><table><tr><td>password</td><td>{s}</td></tr></table><p><b>password</b>: {s}</p>"
    "<p title='{t}'>&#112;assword={s}</p>",
    "e.yaml": "db:\n  password: {s}\n  url: postgres://u:{s}@h/d\nlist: [{t}]\n",
    "f.json": '{{"password": "{s}", "deep": [{{"token": "{t}"}}]}}',
    "g.jsonl": '{{"password": "{s}"}}\n{{"id": "{t}"}}\n',
    "h.toml": 'password = "{s}"\n[{t}]\nx = 1\n',
    "i.txt": "password={s}\n{t}\n",
}


def fill(text: str) -> str:
    return text.format(s=SECRET, t=TOKEN)


@pytest.mark.parametrize("source", FILES)
def test_a_compiled_file_leaves_no_trace_of_its_secrets(secrets: Secrets, source: str) -> None:
    path = secrets.write(source, fill(FILES[source]))
    report = secrets.remem.compile(secrets.folder)
    assert secrets.find_traces(SECRET, TOKEN) == []
    found = [problem for problem in report.diagnostics if problem.code == "redacted"]
    assert found and all(problem.source == source for problem in found)
    assert SECRET not in repr(report) and TOKEN not in repr(report)
    path.write_text(fill(FILES[source]).replace(SECRET, SECRET + "7"))
    secrets.remem.compile(secrets.folder)
    assert [finding for finding in secrets.remem.doctor().findings if finding.fault] == []
    secrets.remem.close()
    assert secrets.find_traces(SECRET, TOKEN) == []


def test_a_secret_that_only_the_page_shows_is_told_with_the_line_of_its_block(secrets: Secrets) -> None:
    body = "\n".join(["MIIEab+9" * 8] * 2)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    page = f"<h1>T</h1>\n<pre>{key}</pre>\n<p>text</p>\n\n<p>&#112;assword={SECRET}</p>\n<p>{TOKEN}</p>\n"
    secrets.write("a.html", page)
    report = secrets.remem.compile(secrets.folder)
    lines = {problem.line: page.split("\n")[problem.line - 1][:10] for problem in report.diagnostics}
    assert lines == {2: "<pre>-----", 8: "<p>&#112;a", 9: f"<p>{TOKEN}"[:10]}
    assert secrets.find_traces(SECRET, TOKEN) == []


def test_files_are_given_back_with_marks_in_place_of_secrets(secrets: Secrets, tmp_path: Path) -> None:
    secrets.write("a.md", f"# A\n\npassword={SECRET} and more\n")
    secrets.remem.compile(secrets.folder)
    out = tmp_path / "out"
    secrets.remem.export_markdown(out)
    texts = [path.read_text() for path in out.rglob("*.md")]
    assert texts == ["# A\n\npassword=[redacted:password] and more\n"]


def test_the_file_on_the_disk_stays_as_it_is(secrets: Secrets) -> None:
    path = secrets.write("a.md", f"password={SECRET}\n")
    secrets.remem.compile(secrets.folder)
    assert path.read_text() == f"password={SECRET}\n"


def test_an_unchanged_file_with_a_secret_is_not_compiled_again(secrets: Secrets) -> None:
    secrets.write("a.md", f"password={SECRET}\n")
    secrets.remem.compile(secrets.folder)
    again = secrets.remem.compile(secrets.folder)
    assert (again.snapshot, again.files_changed) == (None, 0)
    assert [problem.code for problem in again.diagnostics] == ["redacted"]


def test_a_file_whose_name_is_a_secret_is_left_out_and_told_without_it(secrets: Secrets) -> None:
    secrets.write(f"{TOKEN}.md", "text\n")
    secrets.write("fine.md", "text\n")
    report = secrets.remem.compile(secrets.folder)
    assert report.files_added == 1
    assert [(problem.source, problem.code) for problem in report.diagnostics] == [
        ("[redacted:token].md", "secret-name")
    ]
    assert secrets.find_traces(TOKEN) == []


def test_a_root_whose_name_is_a_secret_is_refused(secrets: Secrets) -> None:
    secrets.write("a.md", "text\n")
    with pytest.raises(InvalidInputError, match="secret") as caught:
        secrets.remem.compile(secrets.folder, TOKEN)
    assert TOKEN not in str(caught.value)


def test_every_field_of_a_memory_is_redacted(secrets: Secrets) -> None:
    memory = secrets.remem.store(
        f"# About {TOKEN}\n\npassword={SECRET} [[{TOKEN}]] #tag",
        tags=[f"password={SECRET}", TOKEN],
        source=f"https://u:{SECRET}@host/",
        metadata={"password": SECRET, "list": [TOKEN, {"api_key": f"{SECRET}77"}], TOKEN: 1},
        graph_extraction={
            "entities": [{"name": TOKEN, "type": TOKEN, "description": f"password={SECRET}"}, {"name": 7}],
            "relationships": [{"source": TOKEN, "target": TOKEN}, {"source": TOKEN, "relationship_type": "no"}],
        },
    )
    assert SECRET not in repr(memory) and TOKEN not in repr(memory)
    assert memory.metadata["password"] == "[redacted:password]"
    secrets.remem.update(memory.id, content=f"secret = {SECRET}", tags=[TOKEN], metadata={"token": TOKEN})
    secrets.remem.store_batch([f"password={SECRET}", {"content": TOKEN, "source": TOKEN}])
    secrets.remem.close()
    assert secrets.find_traces(SECRET, TOKEN) == []


def test_an_id_that_is_a_secret_is_refused(secrets: Secrets) -> None:
    with pytest.raises(InvalidInputError, match="secret") as caught:
        secrets.remem.store("text", id=TOKEN)
    assert TOKEN not in str(caught.value)
    assert secrets.remem.stats().nodes == 0


def test_texts_that_calls_write_are_redacted(secrets: Secrets) -> None:
    secrets.write("a.md", "# A\n\none\n\n## B\n\ntwo\n")
    secrets.remem.compile(secrets.folder)
    edited = secrets.remem.write(f"## B\n\npassword={SECRET}\n", anchor="B")
    assert [problem.code for problem in edited.diagnostics] == ["redacted"]
    secrets.remem.write(f"<p>{TOKEN}</p>", parent="A", format="html")
    secrets.remem.write(f"# Memory\n\n{TOKEN}")
    secrets.remem.summarise("B", f"in short password={SECRET}")
    secrets.remem.relate("A", target_label=TOKEN)
    assert secrets.remem.unrelate("A", target_label=TOKEN).deleted == 1
    secrets.remem.relate("A", target_label=f"{TOKEN}#x", target_source=f"{TOKEN}.md")
    secrets.remem.close()
    assert secrets.find_traces(SECRET, TOKEN) == []


def test_what_is_imported_is_redacted(secrets: Secrets, tmp_path: Path) -> None:
    lines = [
        {"type": "entity", "name": TOKEN, "entityType": "x", "observations": [f"password={SECRET}", TOKEN]},
        {"type": "entity", "name": "Other", "entityType": TOKEN, "observations": []},
        {"type": "relation", "from": TOKEN, "to": "Other", "relationType": "uses"},
        {"type": "relation", "from": TOKEN, "to": "Nobody", "relationType": f"password={SECRET}"},
    ]
    path = tmp_path / "graph.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    report = secrets.remem.import_file(path)
    assert SECRET not in repr(report) and TOKEN not in repr(report)
    secrets.remem.close()
    assert secrets.find_traces(SECRET, TOKEN) == []


def test_failed_calls_and_searches_leave_no_trace(secrets: Secrets) -> None:
    secrets.remem.store("a harmless text")
    secrets.remem.search(SECRET)
    secrets.remem.recall(f"password={SECRET} {TOKEN}")
    calls: list[Callable[[], object]] = [
        lambda: secrets.remem.show(TOKEN),
        lambda: secrets.remem.store(f"password={SECRET}", importance=7),
        lambda: secrets.remem.store(f"password={SECRET}", memory_type=cast(MemoryType, TOKEN)),
        lambda: secrets.remem.update(TOKEN, content=SECRET),
        lambda: secrets.remem.relate(TOKEN, target_label=SECRET),
        lambda: secrets.remem.write(f"password={SECRET}", anchor=TOKEN),
    ]
    for call in calls:
        with pytest.raises(RememError):
            call()
    with suppress(RememError):
        secrets.remem.forget(TOKEN)
    secrets.remem.close()
    assert secrets.find_traces(SECRET, TOKEN) == []
