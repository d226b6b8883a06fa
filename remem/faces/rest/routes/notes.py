"""Operations on notes: the index, one node to read, roots, and compiles, which run as tasks."""

from __future__ import annotations

import asyncio

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import AS_OF, PAGING
from remem.faces.rest.operations import BASE, Answer, Call, Operation, answer_json
from remem.faces.running.places import find_place
from remem.limits import DEEPEST_TREE, LONGEST_ROOT
from remem.sources.roots import check_name


async def read_tree(call: Call) -> Answer:
    """The index: documents, sections and, with `blocks`, what is in them; memories too."""
    page = await call.remem.tree(**call.query)
    return answer_json(wire.show_tree(page) | wire.show_rest(page))


async def read_node(call: Call) -> Answer:
    """One node to read: the text of its section, what it lies in, what lies below, the edges at it."""
    page = await call.remem.show(call.node, **call.query)
    return answer_json(wire.show_view(page[0]) | wire.show_rest(page))


async def list_roots(call: Call) -> Answer:
    """The folders that notes were compiled from."""
    page = await call.remem.roots(**call.query)
    return answer_json(wire.show_roots(page) | wire.show_rest(page))


async def compile_notes(call: Call) -> Answer:
    """Begins to compile a file or folder inside the configured or known roots, and answers with the task that does
    it."""
    asked = dict(call.body)
    if "root" in asked:
        check_name(asked["root"])
    roots = await call.remem.roots()
    place = await asyncio.to_thread(find_place, asked.pop("path"), call.context.options.compile_roots, roots)
    task = call.context.compiles.start(str(place), asked)
    headers = ((b"location", f"{BASE}/tasks/{task.id}".encode()),)
    return Answer(wire.dump_json(task.show(), newline=False), 202, headers=headers)


OPERATIONS = (
    Operation(
        "GET", "/tree", read_tree, answer="Tree", errors=(404, 409),
        query=(
            Field("node", "text", "only what lies below this id or label"),
            Field("depth", "integer", default=5, least=0, most=DEEPEST_TREE),
            Field("blocks", "flag", "paragraphs and the like too", default=True),
            AS_OF,
            *PAGING,
        ),
    ),
    Operation(
        "GET", "/nodes/{id}", read_node, answer="Node", errors=(404, 409),
        query=(
            Field("depth", "integer", "levels of lines below", default=5, least=0, most=DEEPEST_TREE), AS_OF, *PAGING
        ),
    ),
    Operation("GET", "/roots", list_roots, answer="Roots", query=PAGING),
    Operation(
        "POST", "/compile", compile_notes, answer="CompileTask", status=202, errors=(429,),
        body=(
            Field("path", "text", "a path, or one that begins with the name of a root", required=True),
            Field("root", "text", "the name of the root", longest=LONGEST_ROOT),
            Field("moved", "flag", "the root lies elsewhere now", default=False),
            Field("prune", "flag", "many files were deleted on purpose", default=False),
            Field("dry_run", "flag", "change nothing", default=False),
            Field("discover", "flag", "look for mentions too", default=True),
        ),
    ),
)  # fmt: skip
