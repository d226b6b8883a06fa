"""Contents that are hostile or merely large: bytes that are no text, endless lines, deep nests, very many links."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.vault import Vault, codes
from tests.guard import guard_hang

MAX_TOKENS = 512
"""The default of `[compile] max_node_tokens`."""


def test_empty_notes_are_documents_without_nodes(vault: Vault) -> None:
    report = vault.compile({"empty.md": "", "blank.md": " \n\n\t\n", "x.md": "[[empty]] [[blank]]\n"})
    assert (len(vault.nodes("empty.md")), len(vault.nodes("blank.md"))) == (1, 1)
    assert vault.edges == ["x.md -> blank.md", "x.md -> empty.md"]
    assert report.diagnostics == ()


def test_binary_file_is_reported_and_left_out(vault: Vault) -> None:
    report = vault.compile(
        {"a.md": bytes(range(256)) * 40, "png.md": b"\x89PNG\r\n\x1a\n" + b"\0\1\2" * 99, "b.md": "x\n"}
    )
    assert codes(report.diagnostics) == ["a.md:0 binary", "png.md:0 binary"]
    assert {node.source for node in vault.export.nodes} == {"b.md"}


@pytest.mark.parametrize(
    ("data", "text", "code"),
    [
        (b"caf\xe9 au lait", "caf\ufffd au lait", ["x.md:1 bad-encoding"]),
        (b"one\n\nhi \xed\xa0\xbd there", "hi \ufffd\ufffd\ufffd there", ["x.md:3 bad-encoding"]),
        (b"alpha\0omega", "alpha\ufffdomega", ["x.md:1 nul"]),
        ("\ufeffwords".encode(), "words", []),
        ("wörter".encode("utf-16"), "wörter", []),
        (b"a\r\nb\r\n", "a\nb", []),
        (b"a\rb", "a\nb", []),
        (b"\xf0\x9f\x98", "\ufffd", ["x.md:1 bad-encoding"]),
    ],
)
def test_bytes_become_text_and_what_was_replaced_is_said(vault: Vault, data: bytes, text: str, code: list[str]) -> None:
    """Cases 64, 65, 70"""
    vault.write({"x.md": data})
    report = vault.remem.compile(vault.folder)
    assert vault.texts("x.md", "text")[-1] == text
    assert codes(report.diagnostics) == code
    assert vault.remem.doctor().healthy
    assert vault.remem.compile(vault.folder).snapshot is None


def test_line_ends_change_nothing(vault: Vault) -> None:
    vault.compile({"a.md": "# A\n\n- one\n- two\n\n> q\n> r\n\n[[b]] text\nmore\n", "b.md": ""})
    before = vault.export
    text = (vault.folder / "a.md").read_bytes().replace(b"\n", b"\r\n")
    report = vault.compile({"a.md": text})
    assert report.snapshot is None
    assert vault.export == before


@pytest.mark.parametrize(
    "text",
    [
        "[[" * 50_000,
        "[" * 50_000 + "]" * 50_000,
        "[[a" + " " * 100_000,
        "# A\n" + " " * 100_000 + "\nB",
        "🙂" * 100_000,
        "`" * 50_000 + "x",
        "|" * 50_000,
        "<!--" * 20_000,
        "**a " * 20_000,
        "ខ្មែរ" * 12_000,
        "%%" * 50_000 + "x",
        "#a" * 50_000,
        ">" * 5_000 + "a",
        "[a](" * 20_000,
        "![" * 50_000,
        "[[a" + "; w=2" * 20_000 + "]]",
        "[[" + "../" * 20_000 + "b]]",
        "---\na: " + "[" * 50_000 + "\n---\n",
        "---\n" + "a: [[b]]\n" * 2_000 + "---\n",
        "<div>" * 20_000,
        "<knowledge weight='2'>" * 20_000,
        "$a " * 30_000,
        "| a | b |\n|---|---|\n" + "| [[x]] | y |\n" * 2_000,
        "|" + "a|" * 20_000 + "\n|" + "-|" * 20_000 + "\n",
        "&amp;" * 50_000,
        "word " * 12_000,
        "w" * 60_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_time_is_linear_in_the_size(vault: Vault, text: str) -> None:
    """Case 143"""
    vault.write({"x.md": text})
    with guard_hang("the compile"):
        vault.remem.compile(vault.folder)
    assert vault.remem.doctor().healthy
    assert vault.remem.compile(vault.folder).snapshot is None
    # A link is never cut, however long it is.
    whole = [node for node in vault.nodes("x.md") if node.kind != "heading" and not is_one_link(node.content)]
    assert all(node.tokens <= MAX_TOKENS for node in whole)


def is_one_link(content: str) -> bool:
    return content.startswith("[[") and content.find("]]") == len(content) - 2


def test_very_many_headings(vault: Vault) -> None:
    text = "".join(f"# h{number}\n\n" for number in range(10_000))
    vault.write({"x.md": text})
    report = vault.remem.compile(vault.folder)
    assert report.added == 10_001
    vault.write({"x.md": text.replace("# h5000\n", "# another\n\nnew\n")})
    report = vault.remem.compile(vault.folder)
    assert (report.added, report.modified, report.removed) in ((1, 1, 0), (2, 0, 1))


def test_deep_nests(vault: Vault) -> None:
    lists = "\n".join("  " * depth + "- x" for depth in range(500)) + "\n"
    quotes = "".join("> " * depth + f"level {depth}\n>\n" for depth in range(1, 500, 7))
    headings = "".join("#" * (number % 6 + 1) + f" h{number}\n\n" for number in range(500))
    report = vault.compile({"lists.md": lists, "quotes.md": quotes, "headings.md": headings})
    assert report.files_added == 3


def test_very_many_links_in_one_note(vault: Vault) -> None:
    """Case 142"""
    vault.write({"x.md": " ".join(f"[[n{number}]]" for number in range(40_000)), "n7.md": "", "y.md": "[[x]]\n"})
    report = vault.remem.compile(vault.folder)
    assert (report.links, report.pending) == (40_001, 39_999)
    vault.write({"n8.md": ""})
    assert vault.remem.compile(vault.folder).pending == 39_998
    assert len(vault.remem.related("x")) == 3
    vault.write({"x.md": None})
    report = vault.remem.compile(vault.folder)
    assert (report.links, report.pending) == (1, 1)
    vault.write({"x.md": "[[n7]]\n"})
    vault.remem.compile(vault.folder)
    assert vault.edges == ["x.md -> n7.md", "y.md -> x.md"]


def test_large_note_is_compiled_and_edited(vault: Vault) -> None:
    paragraphs = [f"Paragraph {number} of the log, [[x]]. " + "Words to fill it. " * 30 for number in range(5_500)]
    for number in range(0, len(paragraphs), 100):
        paragraphs[number] = f"## Section {number}"
    vault.write({"x.md": "", "log.md": "\n\n".join(paragraphs)})
    assert (vault.folder / "log.md").stat().st_size > 3_000_000
    report = vault.remem.compile(vault.folder)
    assert report.added == len(paragraphs) + 2
    paragraphs[2_001] += "One more."
    vault.write({"log.md": "\n\n".join(paragraphs)})
    report = vault.remem.compile(vault.folder)
    assert (report.added, report.modified, report.removed, report.moved) == (0, 1, 0, 0)


MANY_FILES = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from remem import Remem
with Remem.open_sync(sys.argv[1]) as remem:
    print(remem.compile(sys.argv[2]).files)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_NOFILE"), reason="no such limit")
def test_few_open_files_are_enough(tmp_path: Path) -> None:
    """Case 145"""
    folder = tmp_path / "notes"
    for number in range(600):
        path = folder / f"d{number % 100}" / f"n{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"note {number}\n")
    script = [sys.executable, "-c", MANY_FILES, str(tmp_path / "store.db"), str(folder)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.returncode) == ("600", 0), done.stderr
