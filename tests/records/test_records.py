"""The package of records: the names that it hands out, and when their modules are loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from remem import records

STUB = Path(records.__file__).with_suffix(".pyi")


def list_stub_names() -> list[tuple[str, str]]:
    """(module, name) of everything that the stub imports."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return [(node.module or "", alias.name) for node in imports for alias in node.names]


def test_every_name_is_the_one_that_readers_of_types_see() -> None:
    for module, name in list_stub_names():
        assert getattr(records, name) is getattr(import_module(module), name), name


def test_the_stub_and_the_package_hand_out_the_same_names() -> None:
    told = ast.parse(STUB.read_text(encoding="utf-8")).body[-1]
    assert isinstance(told, ast.Assign)
    assert sorted(ast.literal_eval(told.value)) == records.__all__
    assert sorted(name for _, name in list_stub_names()) == records.__all__
    assert set(records.__all__) <= set(dir(records))


def test_a_name_that_no_record_has_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="Nothing"):
        exec("from remem.records import Nothing")


def test_a_module_of_records_is_loaded_when_a_name_of_it_is_used() -> None:
    script = (
        "import sys, remem.records\n"
        "loaded = lambda: [name for name in sys.modules if name.startswith('remem.records.')]\n"
        "assert loaded() == [], loaded()\n"
        "from remem.records import Page\n"
        "assert loaded() == ['remem.records.pages'], loaded()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
