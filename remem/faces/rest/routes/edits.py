"""Operations that change notes in the store: write, summary, forget. The files stay as they are."""

from __future__ import annotations

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.operations import Answer, Call, Operation, answer_json
from remem.records import FORGET_MODES, WRITE_FORMATS


async def write_text(call: Call) -> Answer:
    """Writes a text, parsed like a file, in the place of a node or below one; with neither it becomes a memory."""
    return answer_json(wire.show_edited(await call.remem.write(**call.body)))


async def summarise_node(call: Call) -> Answer:
    """Replaces what a node says by a summary, under the same id and label; the text before stays in the history."""
    return answer_json(wire.show_edited(await call.remem.summarise(call.node, call.body["text"])))


async def forget_node(call: Call) -> Answer:
    """Takes a node out of its note, until its own text in the file changes; archives a memory."""
    asked = call.query
    return answer_json(wire.show_forgotten(await call.remem.forget(call.node, asked["mode"], hard=asked["hard"])))


OPERATIONS = (
    Operation(
        "POST", "/write", write_text, answer="Edited", errors=(404, 409),
        body=(
            Field("payload", "text", "1 to 1 000 000 characters", required=True, free=True),
            Field("anchor", "text", "the section, block, document or memory that it takes the place of"),
            Field("parent", "text", "or the section or document that it is added to"),
            Field("format", "text", default="markdown", choices=WRITE_FORMATS),
        ),
    ),
    Operation(
        "POST", "/nodes/{id}/summary", summarise_node, answer="Edited", errors=(404, 409),
        body=(Field("text", "text", "1 to 100 000 characters", required=True, free=True),),
    ),
    Operation(
        "DELETE", "/nodes/{id}", forget_node, answer="Forgotten", errors=(404, 409),
        query=(
            Field("mode", "text", "what becomes of nodes below: refuse, take along, lift", default="strict",
                  choices=FORGET_MODES),
            Field("hard", "flag", "remove a memory for good", default=False),
        ),
    ),
)  # fmt: skip
