"""A client that speaks to a real `remem mcp` in bytes: it sends what it likes, and keeps every byte that comes back."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE = 60.0
"""How long an answer or an end may take, in seconds, before it is taken for one that never comes."""
HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class WireClient:
    """One process and its three streams. Leaving it closes stdin, waits, and checks that stdout held messages alone."""

    def __init__(self, store: Path, *options: str, program: tuple[str, ...] = ("-m", "remem")) -> None:
        self.sent: list[Any] = []
        self.out = bytearray()
        self._count = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._answers: dict[Any, Any] = {}
        self.process = subprocess.Popen(
            self.make_command(store, options, program),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.make_environ(),
        )
        self._errors = bytearray()
        self._threads = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def make_command(self, store: Path, options: tuple[str, ...], program: tuple[str, ...]) -> list[str]:
        """How the process is started."""
        return [sys.executable, *program, "--db", str(store), *options, "mcp"]

    def make_environ(self) -> dict[str, str]:
        """Its environment: no settings of Remem."""
        return {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.out += line
            self._lines.put(line)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors += line

    @property
    def errors(self) -> str:
        """What the process has said on stderr."""
        return self._errors.decode()

    # --- talk --------------------------------------------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        """Sends bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: Any = None, *, id: Any = None) -> None:
        """Sends a request, or without an id a notification."""
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        self.send_bytes(json.dumps(message | ({} if id is None else {"id": id})).encode() + b"\n")

    def wait(self, id: Any) -> Any:
        """The message that answers a request."""
        while id not in self._answers:
            message = json.loads(self._lines.get(timeout=PATIENCE))
            self._answers[message.get("id")] = message
        return self._answers.pop(id)

    def ask(self, method: str, params: Any = None) -> Any:
        """The result of a request. Fails where it is an error."""
        self._count += 1
        self.send(method, params, id=self._count)
        answer = self.wait(self._count)
        assert "result" in answer, answer
        return answer["result"]

    def greet(self, version: str = HANDSHAKE) -> Any:
        """Does the handshake; returns what the server says of itself."""
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        result = self.ask("initialize", params)
        self.send("notifications/initialized")
        return result

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """The result of a tool, an error or not."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def read(self, tool: str, /, **arguments: Any) -> Any:
        """The JSON that a tool answers. Fails where it is an error."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result["content"]
        return result["structuredContent"]

    # --- end ---------------------------------------------------------------------------------------------------------

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal; returns the exit status."""
        self.process.send_signal(number)
        return self.finish()

    def close(self) -> int:
        """Closes stdin; returns the exit status."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.finish()

    def finish(self) -> int:
        """Waits for the end; returns the exit status. Checks every byte of stdout."""
        status = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):  # what a process that has gone did not read
                pipe.close()
        check_messages(bytes(self.out))
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.process.kill()
            self.process.wait(PATIENCE)
        elif self.process.poll() is None:
            assert self.close() == 0


def check_messages(out: bytes) -> None:
    """Whether bytes are JSON-RPC messages, each on a line, and nothing else."""
    assert not out or out.endswith(b"\n"), out[-200:]
    for line in out.splitlines():
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0" and ("id" in message or "method" in message), line[:200]
