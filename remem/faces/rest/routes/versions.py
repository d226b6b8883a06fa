"""Operations on the version trail: snapshots, what changed, the history of a node, rollback, purge."""

from __future__ import annotations

from remem.errors import InvalidInputError
from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import LARGEST_SNAPSHOT, PAGING
from remem.faces.rest.operations import Answer, Call, Operation, answer_json
from remem.limits import MOST_SNAPSHOTS


def snapshot_field(name: str, about: str, *, required: bool = True, alias: str = "") -> Field:
    """The number of a snapshot."""
    return Field(name, "integer", about, required=required, least=0, most=LARGEST_SNAPSHOT, alias=alias)


async def list_snapshots(call: Call) -> Answer:
    """Lists the snapshots, the newest first, with how many nodes each added, modified, moved and removed."""
    page = await call.remem.snapshots(**call.query)
    return answer_json(wire.show_snapshots(page) | wire.show_rest(page))


async def read_delta(call: Call) -> Answer:
    """What changed from a snapshot to now, net: one entry for each node, with what it says now."""
    page = await call.remem.delta(**call.query)
    return answer_json(wire.show_delta(page) | wire.show_rest(page))


async def read_diff(call: Call) -> Answer:
    """What changed from one snapshot to another, net, with both texts and a unified diff of each node."""
    page = await call.remem.diff(**call.query)
    return answer_json(wire.show_diff(page) | wire.show_rest(page))


async def read_history(call: Call) -> Answer:
    """The changes of one node, the newest first, with the texts before and after; of one that is gone by its id."""
    page = await call.remem.history(call.node, **call.query)
    return answer_json(wire.show_history(page) | wire.show_rest(page))


async def roll_back(call: Call) -> Answer:
    """Takes the notes, or a part of the store, back to what they were at a snapshot, as a new snapshot."""
    return answer_json(wire.show_rollback(await call.remem.rollback(**call.body)))


async def purge_history(call: Call) -> Answer:
    """Removes texts from the history for good: those that no snapshot after `snapshot` holds, or the former ones of a
    `node`. What is there now stays. The file is written anew."""
    if not call.body:
        raise InvalidInputError("say what is to be purged: give snapshot or node", field="node")
    return answer_json(wire.show_purge(await call.remem.purge(**call.body)))


OPERATIONS = (
    Operation(
        "GET", "/snapshots", list_snapshots, answer="Snapshots",
        query=(Field("limit", "integer", default=20, least=1, most=MOST_SNAPSHOTS), *PAGING),
    ),
    Operation(
        "GET", "/delta", read_delta, answer="Delta", errors=(404,),
        query=(snapshot_field("since", "the snapshot; 0 is the empty store"), *PAGING),
    ),
    Operation(
        "GET", "/diff", read_diff, answer="Diff", errors=(404,),
        query=(
            snapshot_field("a", "the snapshot to compare from", alias="from"),
            snapshot_field("b", "the snapshot to compare to", alias="to"),
            *PAGING,
        ),
    ),
    Operation("GET", "/nodes/{id}/history", read_history, answer="History", errors=(404, 409), query=PAGING),
    Operation(
        "POST", "/rollback", roll_back, answer="RolledBack", errors=(404, 409),
        body=(
            snapshot_field("snapshot", "the state to return to; 0 is the empty store"),
            Field("scope", "text", "notes (all but memories), all, a root, a document, a node with all below it, or a"
                  " memory", default="notes"),
            Field("dry_run", "flag", "change nothing", default=False),
        ),
    ),
    Operation(
        "POST", "/purge", purge_history, answer="Purged", errors=(404, 409),
        body=(
            snapshot_field("snapshot", "purge what no later snapshot holds", required=False),
            Field("node", "text", "or the former texts of this node and of all that is or was below it"),
        ),
    ),
)  # fmt: skip
