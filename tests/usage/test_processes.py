"""Nodes are as warm after uses by several processes as after the same uses by one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pytest import approx

from remem import Remem

TOP = Path(__file__).resolve().parents[2]
READS, LISTS = 12, 6
PROGRAM = """
import sys
from remem import Remem
store, reads, lists = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Remem.open_sync(store) as remem:
    for _ in range(reads):
        remem.show("Costs")
    for _ in range(lists):
        remem.related("Deploy")
"""


def use(store: Path, processes: int) -> None:
    """Divides the uses among so many processes, which run at the same time."""
    share = [str(count // processes) for count in (READS, LISTS)]
    command = [sys.executable, "-c", PROGRAM, str(store), *share]
    for process in [subprocess.Popen(command, cwd=TOP) for _ in range(processes)]:
        assert process.wait(120) == 0


def test_the_number_of_processes_makes_no_difference(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Costs.md").write_text("The harbor is dear.\n")
    (notes / "River.md").write_text("The river is wide.\n")
    (notes / "Deploy.md").write_text("See [[River]].\n")
    found = []
    with Remem.open_sync(tmp_path / "0.db") as remem:
        remem.compile(notes)
    for processes in (1, 3):
        store = Path(shutil.copy(tmp_path / "0.db", tmp_path / f"{processes}.db"))
        use(store, processes)
        with Remem.open_sync(store) as remem:
            heats = {line.label: line.temperature for line in remem.tree(depth=0)}
            found.append([heats["Costs"], heats["River"], heats["Deploy"]])
            assert remem.pin("Costs").accesses == READS
    assert found[0] == approx(found[1], abs=2e-4)
    assert found[0] == approx([1 - 0.5 * 0.85**READS, 1 - 0.5 * 0.95**LISTS, 0.5], abs=2e-4)
