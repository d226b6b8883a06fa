"""The wheel, built here and installed elsewhere, holds all that Remem needs to run."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import remem

TOP = Path(__file__).resolve().parent.parent


def run(*command: str, cwd: Path, path: str = "") -> str:
    """What a command prints. `path` is its PYTHONPATH."""
    environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out), cwd=TOP)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-index"]
    run(*pip, "--target", str(target), str(wheel), cwd=target)
    return target


def run_installed(installed: Path, folder: Path, *arguments: str) -> str:
    """Runs Python on the installed package, outside of the checkout."""
    return run(sys.executable, *arguments, cwd=folder, path=str(installed))


def test_the_wheel_holds_schema_migrations_settings_and_samples(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    samples = {path.relative_to(TOP).as_posix() for path in (TOP / "remem" / "samples").rglob("*") if path.is_file()}
    migrations = {f"remem/_data/migrations/{path.name}" for path in (TOP / "migrations").glob("*.sql")}
    assert {"remem/_data/schema.sql", "remem/_data/remem-server.toml", "remem/py.typed"} <= names
    assert migrations and migrations <= names
    assert samples and samples <= names


def test_the_wheel_holds_every_module_and_nothing_of_the_checkout_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(TOP).as_posix() for path in (TOP / "remem").rglob("*.py")}
    assert modules <= names
    assert {name.split("/")[0] for name in names} == {"remem", f"remem-{remem.__version__}.dist-info"}


def test_the_installed_package_finds_its_files_in_itself(installed: Path, tmp_path: Path) -> None:
    code = """
from remem.datafiles import find_data, find_samples
print(*map(find_data, ("schema.sql", "migrations", "remem-server.toml")), find_samples(), sep="\\n")
"""
    found = [Path(line) for line in run_installed(installed, tmp_path, "-c", code).splitlines()]
    assert all(path.exists() and path.is_relative_to(installed) for path in found), found


def test_the_installed_command_tells_the_version(installed: Path, tmp_path: Path) -> None:
    assert remem.__version__ in run_installed(installed, tmp_path, "-m", "remem", "--version")


def test_the_installed_demo_shows_the_sample_notes(installed: Path, tmp_path: Path) -> None:
    shown = run_installed(installed, tmp_path, "-m", "remem", "demo")
    assert "Seat inventory" in shown
    assert "Winter timetable 2027" in shown
