"""Files that commands write: whole or not at all, and over another one only where that is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import click

from remem.errors import RefusedError

force_option = click.option("--force", "-f", is_flag=True, help="Write over a file that exists.")


def refuse_file(out: Path, force: bool) -> None:
    """Raises RefusedError where there is a file of that name already and nobody said that it may go."""
    if out.is_file() and not force:
        raise RefusedError(f"{out} exists: choose another file, or say --force", path=str(out))


def write_file(out: Path, data: bytes) -> None:
    """Writes a file beside its place and moves it there; what is no file (a pipe, a device) is written into, and a link
    followed. Raises RefusedError where it cannot be written."""
    out = Path(os.path.realpath(out))
    part = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        if out.exists() and not out.is_file():
            out.write_bytes(data)
            return
        part.write_bytes(data)
        os.replace(part, out)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RefusedError(f"cannot write {out}: {error.strerror}", path=str(out)) from error
