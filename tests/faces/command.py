"""Runs command lines within this process, as `remem` would run them."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

from remem.faces.cli.app import run


@dataclass(frozen=True, slots=True)
class Done:
    """What a command line left: exit status, what it printed, and both streams in the order of printing."""

    status: int
    out: str
    err: str
    both: str

    def load(self) -> Any:
        """The JSON on stdout."""
        return json.loads(self.out)


class Recorder(BytesIO):
    """Bytes that go to a record of their own and to one that two streams share."""

    def __init__(self, shared: BytesIO) -> None:
        super().__init__()
        self.shared = shared

    def write(self, data: Any, /) -> int:
        """Writes to both."""
        self.shared.write(data)
        return super().write(data)


class Terminal(TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def remem(*arguments: str | Path, terminal: bool = False) -> Done:
    """Runs one command line. With `terminal`, stdout is one."""
    shared = BytesIO()
    records = Recorder(shared), Recorder(shared)
    make = Terminal if terminal else TextIOWrapper
    out = make(records[0], encoding="utf-8", write_through=True)
    err = TextIOWrapper(records[1], encoding="utf-8", errors="backslashreplace", write_through=True)
    with redirect_stdout(out), redirect_stderr(err):
        status = run([str(argument) for argument in arguments])
    out.flush()
    err.flush()
    return Done(status, *(record.getvalue().decode("utf-8") for record in (*records, shared)))
