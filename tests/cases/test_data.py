"""Data files in a vault: found, linked, kept through edits, never a fault of the whole."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.cases.vault import Vault

PEOPLE = """\
- name: Ann
  role: harbour master, who keeps the book of the berths and knows each crane by the sound that it makes
  caused_by: "[[Storm]]"
- name: Bo
  role: pilot of the north channel, who takes the large vessels to the quay when the tide is at its highest
  see: [[config#Tides]]
"""
CONFIG = """\
title: Harbour config
aliases: [HC]
tags: [pier]
server:
  host: quay.example
"""


def test_data_files_are_linked_like_notes(vault: Vault) -> None:
    vault.compile(
        {
            "people.yaml": PEOPLE,
            "config.yml": CONFIG,
            "plan.json": '{"supports": "[[Harbour config]]", "text": "see [[people]] and [[Nobody]]"}',
            "log.jsonl": '{"id": 1, "see": "[[HC]]"}\n{"id": 2}\n',
            "set.toml": 'part_of = "[[log.jsonl]]"\n',
            "Storm.md": "# Storm\n[[plan]] [[set.toml]]\n",
        }
    )
    assert vault.edges == [
        "Storm.md -> plan.json",
        "Storm.md -> set.toml",
        "log.jsonl -> config.yml",
        "people.yaml -> Storm.md caused_by",
        "people.yaml -> config.yml",
        "plan.json -> config.yml supports",
        "plan.json -> people.yaml",
        "set.toml -> log.jsonl part_of",
    ]
    assert vault.pending == ["people.yaml: config#Tides", "plan.json: Nobody"]
    assert vault.tags("config.yml") == ["pier"]


def test_a_document_is_read_as_a_whole_with_what_closes_it(vault: Vault) -> None:
    text = json.dumps({"name": "quay", "berths": [1, 2]}, indent=1)
    vault.compile({"plan.json": text, "Storm.md": "# Storm\n\nIt blew.\n"})
    for view in (vault.remem.show("plan.json"), vault.remem.show("plan.json", as_of=1)):
        assert view[0].text == text
    assert vault.remem.get("plan.json").content == vault.remem.get("plan.json", as_of=1).content == text
    assert vault.remem.show("Storm.md")[0].text == "# Storm\n\nIt blew."


def test_records_are_sections_and_found_by_their_names(vault: Vault) -> None:
    vault.compile({"people.yaml": PEOPLE})
    assert vault.outline("people.yaml") == ["document people", "  kv Ann", "  kv Bo"]
    (hit, *_) = vault.remem.search("north channel", mode="keyword").items
    assert (hit.label, hit.kind, [crumb.label for crumb in hit.breadcrumb]) == ("Bo", "kv", ["people"])


def test_a_hit_names_the_path_of_its_key(vault: Vault) -> None:
    deep = {"harbour": {"quays": {"north": "crane and pier " * 200 + "zeppelin", "south": "tide " * 200}}}
    vault.compile({"deep.json": json.dumps(deep, indent=2)})
    (hit, *_) = vault.remem.search("zeppelin", mode="keyword").items
    assert hit.label == "harbour.quays.north"
    assert [crumb.label for crumb in hit.breadcrumb] == ["deep", "harbour", "harbour.quays"]


@pytest.mark.parametrize("text", ["caf\\u00e9 x\\nzeppelin\\tpier", "caf\u00e9 x\\nzeppelin\\tpier"])
def test_escapes_hide_no_word(vault: Vault, text: str) -> None:
    vault.remem.compile(vault.folder)
    vault.write({"a.json": f'{{"text": "{text}"}}', "b.jsonl": f'{{"text": "{text}"}}'})
    vault.remem.compile(vault.folder)
    for query in ("café", "zeppelin", "pier"):
        hits = vault.remem.search(query, mode="keyword").items
        assert {hit.source for hit in hits} == {"a.json", "b.jsonl"}
        assert all("zeppelin pier" in hit.snippet for hit in hits)
    assert vault.texts("b.jsonl", "kv") == ['{"text": "café x\\nzeppelin\\tpier"}']
    assert vault.remem.compile(vault.folder).snapshot is None
    assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []


def test_ids_stay_through_edits_elsewhere_in_the_file(vault: Vault) -> None:
    config = {f"key_{number}": {"host": f"h{number}.example", "text": "word " * 80} for number in range(30)}
    for source, dump in (("a.json", lambda data: json.dumps(data, indent=2)), ("b.yaml", dump_yaml)):
        vault.compile({source: dump(config)})
        before = {node.label: node.id for node in vault.nodes(source)[1:]}
        edited = {"added": {"text": "another " * 80}, **config}
        edited["key_7"] = {"host": "changed.example", "text": "word " * 80}
        del edited["key_20"]
        vault.compile({source: dump(edited)})
        after = {node.label: node.id for node in vault.nodes(source)[1:]}
        assert after.keys() == {"added", *before} - {"key_20"}
        assert all(after[label] == id for label, id in before.items() if label != "key_20")


def test_a_record_that_is_put_between_moves_no_id(vault: Vault) -> None:
    words = Random(1).choices(("pier", "tide", "crane", "quay", "vessel"), k=2000)
    lines = [
        json.dumps({"id": number, "text": " ".join(words[number * 40 : number * 40 + 40])}) for number in range(50)
    ]
    vault.compile({"log.jsonl": "\n".join(lines)})
    before = {node.content: node.id for node in vault.nodes("log.jsonl")[1:]}
    lines.insert(20, json.dumps({"id": "new", "text": "between the others " * 10}))
    report = vault.compile({"log.jsonl": "\n".join(lines)})
    assert (report.added, report.modified, report.removed) == (1, 0, 0)
    after = {node.content: node.id for node in vault.nodes("log.jsonl")[1:]}
    assert all(after[content] == id for content, id in before.items())


def test_a_fault_while_a_file_is_edited_costs_no_ids_elsewhere(vault: Vault) -> None:
    vault.compile({"people.yaml": PEOPLE, "Storm.md": "# Storm\n"})
    before = vault.id_of("Ann"), vault.edges
    vault.compile({"people.yaml": PEOPLE + "- name: Cy\n  list: [1,\n"})
    assert (vault.id_of("Ann"), vault.edges) == before
    assert [(problem.line, problem.code) for problem in vault.remem.compile(vault.folder).diagnostics] == [
        (8, "data-invalid")
    ]
    vault.compile({"people.yaml": PEOPLE})
    assert (vault.id_of("Ann"), vault.edges) == before


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"", []),
        (b'\xef\xbb\xbf{"title": "A"}', []),
        (b'{"a": "\xff\xfe"}', ["bad-encoding"]),
        (b'{"a": "x\0y"}', ["nul"]),
        (b'{"a": 1,}', ["data-invalid"]),
        (b'{"a": Infinity}', ["data-invalid"]),
        (b'{"a": "\\ud800", "n": ' + b"9" * 400 + b"}", []),
        (b'{"a":' * 20_000, ["data-invalid", "data-too-deep"]),
        (b"{'a'", ["data-invalid"]),
    ],
)
def test_a_bad_file_is_reported_and_stops_no_other(vault: Vault, data: bytes, codes: list[str]) -> None:
    report = vault.compile({"bad.json": data, "good.json": '{"title": "Good"}', "note.md": "[[bad]] [[Good]]\n"})
    assert sorted(problem.code for problem in report.diagnostics) == codes
    assert vault.edges == ["note.md -> bad.json", "note.md -> good.json"]


def test_utf_16_is_read(vault: Vault) -> None:
    vault.write({"a.json": '{"title": "Ä"}'.encode("utf-16"), "b.yaml": "title: Ö".encode("utf-16")})
    assert vault.remem.compile(vault.folder).diagnostics == ()
    assert [node.label for node in vault.export.nodes if node.kind == "document"] == ["Ä", "Ö"]


def test_large_lines_are_found_to_their_end(vault: Vault, tmp_path: Path) -> None:
    vault.compile(
        {"long.json": json.dumps({"a": "word " * 40_000 + "zeppelin"}), "bad.yaml": "[" + "x " * 20_000 + "quay"}
    )
    assert [hit.label for hit in vault.remem.search("zeppelin", mode="keyword").items] == ["a"]
    assert [hit.source for hit in vault.remem.search("quay", mode="keyword").items] == ["bad.yaml"]


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_keep_every_invariant(vault: Vault, seed: int) -> None:
    random = Random(seed)
    sources = ("a.yaml", "b.json", "c.jsonl", "d.toml", "e.yml")
    texts = {source: make_text(random, source) for source in sources}
    for _ in range(3):
        vault.compile(texts)
        source = random.choice(sources)
        texts = {source: edit_text(random, make_text(random, source))}


def make_text(random: Random, source: str) -> str:
    """Some keys with values, maps, lists and links, in the format of the source."""
    data = {f"key {random.randrange(99)}": make_value(random, 3) for _ in range(random.randrange(1, 9))}
    if source == "d.toml":
        return "\n".join(f"{json.dumps(key)} = {json.dumps(str(value))}" for key, value in data.items())
    if source == "c.jsonl":
        return "\n".join(json.dumps({"id": key, "value": value}) for key, value in data.items())
    return json.dumps(data, indent=2 if source != "b.json" or random.random() < 0.5 else None)


def make_value(random: Random, depth: int) -> object:
    """A text, or a map or list of values."""
    kind = random.randrange(5) if depth else 0
    if kind == 1:
        return [make_value(random, depth - 1) for _ in range(random.randrange(9))]
    if kind == 2:
        return {random.choice("abcdefgh") * 3: make_value(random, depth - 1) for _ in range(random.randrange(6))}
    return " ".join(random.choices(("pier", "tide", "[[a]]", "[[key 7|x]]", "1.5", "crane"), k=random.randrange(1, 60)))


def edit_text(random: Random, text: str) -> str:
    """The text with some characters put in or taken out."""
    for _ in range(random.randrange(4)):
        place = random.randrange(len(text) + 1)
        text = (
            text[:place]
            + random.choice(('"', "{", "]", "\n", ",", "x", "# y ", ""))
            + text[place + random.randrange(9) :]
        )
    return text


def dump_yaml(data: dict[str, dict[str, str]]) -> str:
    lines = []
    for key, value in data.items():
        lines += [f"{key}:", *(f"  {name}: {text}" for name, text in value.items())]
    return "\n".join(lines)
