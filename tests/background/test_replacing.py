"""A discovered edge whose weight is set by hand is a manual edge from then on."""

from __future__ import annotations

from pathlib import Path

from remem import Remem


def test_setting_the_weight_of_a_discovered_edge_makes_it_manual(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.store("The cat sat on the mat", id="c0")
        remem.store("The cat sat on the mat today", id="c1")
        remem.settle()
        (found,) = remem.export().edges
        assert found.origin == "discovered"
        remem.relate(found.source_id, found.target_id, weight=0.2)
        remem.settle()
        assert [(edge.origin, edge.weight) for edge in remem.export().edges] == [("manual", 0.2)]
        assert remem.related("c0", rank="strength")[0].score == 0.2
        assert remem.doctor().healthy
