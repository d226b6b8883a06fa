"""The JSON shapes and the table of errors that all faces share."""

from __future__ import annotations

import json

import pytest

from remem.errors import RememError
from remem.faces import wire
from remem.records import DirectEdge, Node, PathStep, Related, Relation

NODE = Node("abc", "heading", "Costs", "## Costs\n\nText", "notes", "a.md", "doc", 3, 1, 2, ("x",))
EDGE = ("source_id", "target_id", "relationship_type", "origin", "weight", "direction")
STEP = PathStep("abc", "Costs", "p", "abc", "supports", "manual", 2.5, "in")


def test_a_result_has_the_shape_that_rest_promises() -> None:
    shown = wire.show_all_related("doc", [Related(NODE, False, 2.5, 1, 1, None, (STEP,), 1_704_067_200_000)])
    (item,) = json.loads(wire.dump_json(shown))["related"]
    assert list(item) == ["memory", "connection", "score", "distance", "hops", "direct", "path"]
    assert {"id": "abc", "content": "## Costs\n\nText", "importance": 0.5}.items() <= item["memory"].items()
    assert item["connection"] == {
        "target_id": "abc",
        "relationship_type": "supports",
        "strength": 1.0,
        "weight": 2.5,
        "origin": "manual",
        "created_at": "2024-01-01T00:00:00.000Z",
        "direction": "in",
    }
    assert item["direct"] is None
    assert set(item["path"][0]) == {"id", "label", *EDGE}


def test_the_direct_edge_is_shown_with_its_own_ends() -> None:
    direct = DirectEdge("p", "abc", "supports", "manual", 0.82, "in")
    shown = wire.show_related(Related(NODE, True, 0.82, 1, 1, direct, (STEP,)))
    assert shown["direct"] == {
        "source_id": "p",
        "target_id": "abc",
        "relationship_type": "supports",
        "origin": "manual",
        "weight": 0.82,
        "direction": "in",
    }


def test_the_strength_of_a_connection_is_its_weight_up_to_one() -> None:
    relation = Relation("a", "b", "B", "related_to", 0.25, 0, 1, True, False)
    connection = wire.show_relation(relation)["connection"]
    assert isinstance(connection, dict) and (connection["strength"], connection["weight"]) == (0.25, 0.25)


def test_times_are_utc_with_milliseconds() -> None:
    assert wire.show_time(0) == "1970-01-01T00:00:00.000Z"
    assert wire.show_time(1_796_039_074_555) == "2026-11-30T11:44:34.555Z"


def test_a_path_of_bytes_that_are_no_text_is_still_json() -> None:
    assert json.loads(wire.dump_json({"paths": ["a\udcffb", "é"]})) == {"paths": ["a?b", "é"]}


def test_an_error_with_a_code_of_its_own_is_a_failed_request() -> None:
    class OddError(RememError):
        code = "odd"

    assert wire.find_report(OddError("x")).exit_status == wire.FAILED


@pytest.mark.parametrize("newline", [True, False])
def test_json_is_compact_and_on_one_line(newline: bool) -> None:
    assert wire.dump_json({"a": [1, "b\n"]}, newline=newline) == b'{"a":[1,"b\\n"]}' + b"\n" * newline
