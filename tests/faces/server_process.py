"""A real `remem serve` on a free port of this machine, and requests to it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self

PATIENCE = 60.0
"""How long a start, an answer or an end may take, in seconds, before it is taken for one that never comes."""
TOP = Path(__file__).resolve().parents[2]
ADDRESS = re.compile(r"served at (http://\S+)")


class Reply(NamedTuple):
    """What a request got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def load(self) -> Any:
        """The JSON of the body."""
        return json.loads(self.body)


def make_environment(**extra: str) -> dict[str, str]:
    """The environment of a process without settings of Remem, but for `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}
    return {**kept, "PYTHONPATH": str(TOP), **extra}


class ServerProcess:
    """One process. Entered, it listens; leaving it sends SIGTERM and checks that it ends well."""

    def __init__(
        self, store: Path, *options: str, port: int = 0, environ: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        command = [sys.executable, "-m", "remem", "--db", str(store), "serve", "--port", str(port), *options]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=make_environment(**environ),
            text=True,
        )
        self.said: list[str] = []
        self._errors: list[str] = []
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()
        self.address = ""

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            self._errors += lines

    @property
    def errors(self) -> str:
        """What the process has said on stderr, once it has ended."""
        self._reader.join(PATIENCE)
        return "".join(self._errors)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])

    def __enter__(self) -> Self:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            found = ADDRESS.search(line)
            self.address = found[1] if found else self.address
            if line.startswith("Ctrl+C"):
                break
        assert self.address, self.errors
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.process.kill()
        if self.process.poll() is None:
            status = self.stop()
            assert kind is not None or status == 0, self.errors
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal; returns the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """One request on a connection of its own. Header names are given with `_` for `-`."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            data = None if body is None else json.dumps(body)
            if data is not None:
                sent.setdefault("Content-Type", "application/json")
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


def fail_server(store: Path, *options: str, **environ: str) -> tuple[int, str]:
    """Starts a server that must refuse to; gives its exit status and what it says."""
    command = [sys.executable, "-m", "remem", "--db", str(store), "serve", *options]
    done = subprocess.run(
        command, env=make_environment(**environ), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stdout == ""
    return done.returncode, done.stderr
