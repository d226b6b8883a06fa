"""Packages that hand out the names of their modules: which names there are, and when their modules are loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from remem import records
from remem.faces import wire

PACKAGES = pytest.mark.parametrize("package", (records, wire), ids=lambda package: package.__name__)


def read_stub(package: ModuleType) -> ast.Module:
    assert package.__file__ is not None
    return ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def list_stub_names(package: ModuleType) -> list[tuple[str, str]]:
    """(module, name) of everything that the stub imports."""
    imports = [node for node in read_stub(package).body if isinstance(node, ast.ImportFrom)]
    return [(node.module or "", alias.name) for node in imports for alias in node.names]


@PACKAGES
def test_every_name_is_the_one_that_readers_of_types_see(package: ModuleType) -> None:
    for module, name in list_stub_names(package):
        assert getattr(package, name) is getattr(import_module(module), name), name


@PACKAGES
def test_the_stub_and_the_package_hand_out_the_same_names(package: ModuleType) -> None:
    told = read_stub(package).body[-1]
    assert isinstance(told, ast.Assign)
    assert sorted(ast.literal_eval(told.value)) == package.__all__
    assert sorted(name for _, name in list_stub_names(package)) == package.__all__
    assert set(package.__all__) <= set(dir(package))


@PACKAGES
def test_a_name_that_no_module_has_is_an_import_error(package: ModuleType) -> None:
    with pytest.raises(ImportError, match="Nothing"):
        exec(f"from {package.__name__} import Nothing")


@pytest.mark.parametrize(
    ("package", "name", "module"), [("remem.records", "Page", "pages"), ("remem.faces.wire", "dump_json", "values")]
)
def test_a_module_is_loaded_when_a_name_of_it_is_used(package: str, name: str, module: str) -> None:
    script = (
        f"import sys, {package}\n"
        f"loaded = lambda: [name for name in sys.modules if name.startswith('{package}.')]\n"
        "assert loaded() == [], loaded()\n"
        f"from {package} import {name}\n"
        f"assert loaded() == ['{package}.{module}'], loaded()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_command_loads_only_the_records_that_it_uses() -> None:
    script = (
        "import sys\n"
        "from remem import Remem\n"
        "for name in ('search', 'versions', 'transfer', 'memories', 'pictures', 'graph', 'reports', 'edits'):\n"
        "    assert f'remem.records.{name}' not in sys.modules, name\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
