"""Lists that callers give in other forms, and ids of archived memories."""

from __future__ import annotations

import pytest

from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError
from remem.faces.mcp.arguments import Parameter, read_arguments


@pytest.mark.parametrize("tags", ['["a","b"]', "a, b", "a", '{"a": 1}', "", [["a"]], {"a": 1}, 5])
def test_tags_to_store_are_a_list_or_nothing_is_stored(remem: RememSync, tags: object) -> None:
    remem.store("kept", id="kept", tags=["one"])
    for call in (
        lambda: remem.store("x", tags=tags),  # type: ignore[arg-type]
        lambda: remem.store_batch([{"content": "x", "tags": tags}]),
        lambda: remem.update("kept", tags=tags),
    ):
        with pytest.raises(InvalidInputError, match="tags must be") as caught:
            call()
        assert caught.value.facts["field"] == "tags"
    assert remem.memories().total == 1 and remem.get("kept").tags == ("one",)


def test_no_tags_are_none(remem: RememSync) -> None:
    assert remem.store("one", id="one", tags=None).tags == ()
    assert remem.store_batch([{"content": "two", "tags": None}])[0].tags == ()
    remem.update("one", tags=["a"])
    assert remem.update("one", tags=None, importance=1).tags == ("a",)
    with pytest.raises(InvalidInputError, match="give at least one of"):
        remem.update("one", tags=None)
    assert remem.update("one", tags=[]).tags == ()


@pytest.mark.parametrize(
    ("given", "read"), [('["a","b"]', ("a", "b")), ("a, b", ("a", "b")), ("a", ("a",)), (None, None), (["a"], ("a",))]
)
def test_a_model_may_give_a_list_as_text(given: object, read: object) -> None:
    assert read_arguments((Parameter("tags", "array"),), {"tags": given}).get("tags") == read


@pytest.mark.parametrize("given", ['{"a":1}', ' {"a": ["b"]}', "[1", "[1]", '[["a"]]', [["a"]], {"a": 1}])
def test_a_model_that_gives_no_list_is_told_so(given: object) -> None:
    with pytest.raises(InvalidInputError, match="tags must be"):
        read_arguments((Parameter("tags", "array"),), {"tags": given})


def test_the_id_of_an_archived_memory_is_taken_and_the_way_out_works(remem: RememSync) -> None:
    remem.store("what it said", id="m")
    with pytest.raises(ConflictError, match="m is a memory with other content; update it, or leave the id out"):
        remem.store("something else", id="m")
    remem.delete("m")
    with pytest.raises(ConflictError, match="archived memory with other content; unarchive and update it, or leave"):
        remem.store("something else", id="m")
    remem.unarchive("m")
    assert remem.update("m", content="something else").content == "something else"
