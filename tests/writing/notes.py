"""Two notes that calls change, and short ways to look at them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from remem.records import CompileReport
from tests.cases.vault import Vault

NOTE = """---
title: Alpha
aliases: [Al]
tags: [top]
---

# Head

Intro with [[b]].

## Costs

We pay ten, see [[b#Two]].

- one
- two

### Deep

A deep text about the harbor.

## Usage

How to use it in the morning.
"""
OTHER = "# Bee\n\n## Two\n\nBack to [[a#Costs]] and [[Al]].\n\n> quoted\n>\n> ```\n> code\n> ```\n"


def compile_files(vault: Vault, files: Mapping[str, str | None]) -> CompileReport:
    """Writes or deletes files, and compiles the folder."""
    vault.write(files)
    return vault.remem.compile(vault.folder)


@contextmanager
def open_notes(place: Path) -> Iterator[Vault]:
    """A compiled vault of two notes; at the end the store must be sound, and a compile change nothing."""
    made = Vault(place)
    with made.remem:
        compile_files(made, {"a.md": NOTE, "b.md": OTHER})
        yield made
        assert [finding for finding in made.remem.doctor().findings if finding.fault] == []
        assert made.remem.compile(made.folder).snapshot is None


def id_of(vault: Vault, label: str, source: str = "a.md") -> str:
    """The id of the first node, but for the document, whose label begins so."""
    return next(node.id for node in vault.nodes(source)[1:] if node.label.startswith(label))


def document_of(vault: Vault, source: str = "a.md") -> str:
    """The id of a document."""
    return vault.nodes(source)[0].id


def export(vault: Vault, source: str = "a.md") -> str:
    """The text that is exported for a source."""
    folder = Path(tempfile.mkdtemp(dir=vault.place)) / "out"
    vault.remem.export_markdown(folder)
    return (folder / "notes" / source).read_text(encoding="utf-8")
