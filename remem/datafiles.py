"""Finds the files that belong to Remem beside its code: schema, migrations, default configuration, sample notes.

In a checkout they stand at the top level; in an installed package they stand in `remem/_data`.
"""

from __future__ import annotations

from pathlib import Path

SETTINGS_FILE = "remem-server.toml"
"""Where settings are kept: in the working folder, and as they come with Remem."""

_PACKAGE = Path(__file__).resolve().parent


def find_data(name: str) -> Path:
    """The path of a data file or folder (`schema.sql`, `migrations`, `remem-server.toml`).

    Raises FileNotFoundError where the installation lacks it.
    """
    for base in (_PACKAGE.parent, _PACKAGE / "_data"):
        if (base / "schema.sql").is_file() and (base / name).exists():
            return base / name
    raise FileNotFoundError(f"{name} is missing from this installation of Remem; install the package again")


def find_samples() -> Path:
    """The folder of the sample notes, which is part of the package."""
    return _PACKAGE / "samples"
