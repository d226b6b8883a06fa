"""Two servers and a compile on one file at once: nothing is lost, and nobody is told that it is locked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from remem.engine import Remem
from tests.faces.mcp.wire_client import PATIENCE, WireClient

ROUNDS = 20


def test_two_servers_and_a_compile_share_a_file(folder: Path) -> None:
    store = folder / "memory.db"
    for number in range(200):
        (folder / "gangway" / f"{number}.md").write_text(
            f"# Note {number}\n\nSee [[Glossary]] and [[Note {number + 1}]].\n"
        )
    with WireClient(store) as first, WireClient(store) as second:
        clients = (first, second)
        for client in clients:
            client.greet()
            client.read("MemoryStats")
        compile = subprocess.Popen([sys.executable, "-m", "remem", "--db", str(store), "compile", "gangway"])
        for number in range(ROUNDS):
            for place, client in enumerate(clients):
                label = f"made by {place} in round {number}"
                given = {"source_id": "Deploy", "target_label": label}
                client.send("tools/call", {"name": "MemoryRelate", "arguments": given}, id=f"w{number}")
                client.send("tools/call", {"name": "MemoryTree", "arguments": {"budget": 200}}, id=f"r{number}")
        for number in range(ROUNDS):
            for client in clients:
                for kind in "wr":
                    result = client.wait(f"{kind}{number}")["result"]
                    assert not result["isError"], result
        assert compile.wait(PATIENCE) == 0
        assert first.read("MemoryStats")["documents"] == second.read("MemoryStats")["documents"] == 236
        assert "locked" not in first.errors + second.errors
    with Remem.open_sync(store) as remem:
        assert len([edge for edge in remem.pending(suggest=False) if edge.label.startswith("made by")]) == 2 * ROUNDS
        assert remem.doctor().healthy
