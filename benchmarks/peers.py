"""Other programs for notes and memory on the same notes: time to take them in, to search, to walk.

    python -m benchmarks.peers [--place DIR] [--files N] [--repeats N] [--data DIR] [--only NAME,NAME] [--python PYTHON]

Each peer is installed from its registry into a folder of its own below `--place` (default: a temporary one) and runs
with a home of its own, which goes afterwards, without a model. One that cannot be installed or fails is left out, and
the reason is printed.

| peer | takes notes in | searches | walks |
| --- | --- | --- | --- |
| foam-cli (npm) | `graph`: reads all notes at each start, keeps nothing | `grep` | over MCP `traverse_graph` |
| basic-memory (PyPI) | `project add`: full-text index alone | `tool search-notes`, `search_notes` | `build_context` |
| @modelcontextprotocol/server-memory (npm) | MCP: an entity a note, its paragraphs observations | `search_nodes` | |

basic-memory needs Python 3.12: `--python` (a path, or a name on PATH), the Python that runs this, or one of PATH or
pyenv. Its vectors are switched off, and so is its way of putting front matter into each note; it is asked for as many
hits as Remem gives, and for contexts without the texts of notes.

Remem takes its turn beside each, with the same kind of process: whole processes of the command line, or one server over
stdio. Of whole processes the ratio of processor times is told too, and the bound of 20 (basic-memory, taking in) is for
that: one turn on a busy machine may wait for anything. What they do differs: foam ranks nothing and has no index,
server-memory looks for one substring, basic-memory indexes whole notes; Remem parses blocks, redacts, indexes them,
resolves links, finds mentions and keeps history. Not measured: quality of what is found, semantic search, writes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.figures import tell_run
from benchmarks.notes import write_notes
from benchmarks.peers_install import UnavailableError
from benchmarks.peers_programs import PEERS
from benchmarks.peers_turns import Notes


def read_choice() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", type=Path, help="where the peers are installed and kept (default: nowhere)")
    parser.add_argument("--files", type=int, default=1000, help="seeded notes of 2200 bytes (default 1000)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of whole processes (default 5)")
    parser.add_argument("--data", type=Path, help="a folder of notes instead of seeded ones")
    parser.add_argument("--only", default=",".join(PEERS), help="names of peers, with commas")
    parser.add_argument("--python", help="a Python for basic-memory (default: one that is found)")
    chosen = parser.parse_args()
    chosen.only = chosen.only.split(",")
    if unknown := sorted(set(chosen.only) - set(PEERS)):
        parser.error(f"there is no peer {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if chosen.files < 1 or not 1 <= chosen.repeats <= 30:
        parser.error("--files is at least 1, --repeats is from 1 to 30")
    if chosen.data and not any(chosen.data.rglob("*.md")):
        parser.error(f"there are no notes (*.md) in {chosen.data}")
    return chosen


def main() -> None:
    """Measures all peers that can be had."""
    chosen = read_choice()
    tell_run("mcp")
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.data or Path(name) / "notes"
        if not chosen.data:
            write_notes(folder, chosen.files, 2200)
        for peer in chosen.only:
            place, work = ((chosen.place or Path(name)) / peer).resolve(), Path(name) / f"work-{peer}"
            place.mkdir(parents=True, exist_ok=True)
            work.mkdir()
            notes = Notes(folder.resolve(), work)
            print(f"{peer}: {len(notes.paths)} files, {sum(map(len, notes.texts)) / 1e6:.2f} MB", flush=True)
            try:
                PEERS[peer](place, notes, chosen.repeats, chosen.python)
            except UnavailableError as error:
                print(f"  left out: {error}", flush=True)
    print("remindb: left out: neither PyPI nor npm has it")


if __name__ == "__main__":
    main()
