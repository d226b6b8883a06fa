"""How peers get here: from their registries into a folder each, on a Python that will do. It measures nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

TIMEOUT = 1800
PYTHONS = ("python3.14", "python3.13", "python3.12")
"""Newest first: a package may give an old Python an old version of itself."""
# Fails where Python cannot make an environment, as some systems' own cannot; a shim may be there and start nothing.
PROBE = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] < ({}, {}))"
FOREIGN = ("BASIC_MEMORY_", "XDG_", "MEMORY_FILE_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""Variables of these names say where the user's own things are."""


class UnavailableError(Exception):
    """A peer that cannot be measured here; the message says why."""


def run(command: Sequence[str], environment: Mapping[str, str], where: Path | None = None) -> str:
    """What a process prints. Raises UnavailableError with its last words where it fails."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=where, timeout=TIMEOUT
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.splitlines() or error.stdout.splitlines()
        lines = [line for line in said if "rror" in line] or said or [f"status {error.returncode}"]
        raise UnavailableError(f"{name} {' '.join(command[1:3])} failed: {lines[-1].strip()[:200]}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{name}: {error}") from None
    return done.stdout


def make_environment(home: Path, **settings: str) -> dict[str, str]:
    """The environment of a peer: a home of its own, nothing of the user's, no telemetry; `settings` on top."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(FOREIGN)}
    return {**kept, "FOAM_TELEMETRY": "0", "DO_NOT_TRACK": "1", "HOME": str(home), **settings}


def install_node(package: str, command: str, place: Path) -> str:
    """Installs an npm package and prints its version; the path of its command."""
    if shutil.which("npm") is None:
        raise UnavailableError("npm is not installed")
    found = place / "node_modules" / ".bin" / command
    if not found.exists():
        (place / "package.json").write_text("{}", encoding="utf-8")
        run(["npm", "install", "--no-audit", "--no-fund", package], dict(os.environ), place)
    version = json.loads((place / "node_modules" / package / "package.json").read_text(encoding="utf-8"))["version"]
    print(f"  {package} {version}")
    return str(found)


def list_pythons() -> Iterator[str]:
    """Where Pythons may be: the one that runs this, those on PATH by name, those that pyenv keeps."""
    yield sys.executable
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    yield from (str(folder / name) for name in PYTHONS for folder in folders)
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for name in PYTHONS:
        yield from (str(found / "bin" / name) for found in sorted(versions.glob(f"{name.removeprefix('python')}*")))


def starts(python: str, least: tuple[int, int]) -> bool:
    """Whether a Python starts, is new enough, and can make an environment."""
    if not Path(python).is_file():
        return False
    try:
        done = subprocess.run([python, "-c", PROBE.format(*least)], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find_python(least: tuple[int, int], wanted: str | None = None) -> str:
    """A Python of at least that version: `wanted`, a path or a name on PATH, or the first that will do. Raises
    UnavailableError."""
    candidates = [shutil.which(wanted) or wanted] if wanted else list(dict.fromkeys(list_pythons()))
    for python in candidates:
        if starts(python, least):
            return python
    needed, own = ".".join(map(str, least)), ".".join(map(str, sys.version_info[:3]))
    where = f"{wanted} is none that starts" if wanted else f"this is {own}, and neither PATH nor pyenv has one"
    raise UnavailableError(f"needs Python {needed} or newer: {where} (name one with --python)")


def install_python(package: str, command: str, place: Path, python: str) -> str:
    """Installs a PyPI package into an environment of that Python and prints its version; the path of its command."""
    binaries = place / "venv" / "bin"
    own, marker = str(binaries / "python"), place / "installed"
    if not marker.exists():
        run([python, "-m", "venv", "--clear", str(place / "venv")], dict(os.environ))
        run([own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], dict(os.environ))
        marker.touch()
    code = (
        f"import platform as p; from importlib.metadata import version as v; print(v({package!r}), p.python_version())"
    )
    version, under = run([own, "-c", code], dict(os.environ)).split()
    print(f"  {package} {version}, Python {under}")
    return str(binaries / command)
