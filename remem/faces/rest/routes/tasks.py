"""Operations on what is done behind the calls: background work, which can be run, paused and let go on; compiles that a
call has begun, with their progress."""

from __future__ import annotations

from remem.errors import NotFoundError
from remem.faces import wire
from remem.faces.rest.compiles import stream_events
from remem.faces.rest.events import EVENT_STREAM
from remem.faces.rest.operations import Answer, Call, Operation, Stream, answer_json
from remem.records import TASKS


async def list_tasks(call: Call) -> Answer:
    """The kinds of background work, the compiles that this process remembers, the latest first, and the folders that
    it watches."""
    compiles = [task.show() for task in call.context.compiles.list_recent()]
    watches = [wire.show_watch(state) for state in await call.remem.watches()]
    return answer_json(wire.show_tasks(await call.remem.tasks()) | {"compiles": compiles, "watches": watches})


async def run_task(call: Call) -> Answer:
    """Has background work done now: expire, sweep and backup are done when the answer comes, embed and discover are
    begun. The copy that backup makes lies beside the store."""
    return answer_json(wire.show_task(await call.remem.run_task(check_name(call.node))))


async def pause_task(call: Call) -> Answer:
    """Has background work rest until it is let go on, beyond the end of the process too."""
    return answer_json(wire.show_task(await call.remem.pause_task(check_name(call.node))))


async def resume_task(call: Call) -> Answer:
    """Lets background work go on."""
    return answer_json(wire.show_task(await call.remem.resume_task(check_name(call.node))))


def check_name(name: str) -> str:
    """The name of a kind of background work. Raises NotFoundError."""
    if name not in TASKS:
        raise NotFoundError(f"there is no background work {name[:80]!r}; there are {', '.join(TASKS)}")
    return name


async def read_task(call: Call) -> Answer:
    """A compile that was begun: its state, its progress, what it did."""
    return answer_json(call.context.compiles.get(call.node).show())


async def follow_task(call: Call) -> Stream:
    """The same as server-sent events: one at once, one at each change, the last at its end."""
    return Stream(stream_events(call.context.compiles.get(call.node)), f"{EVENT_STREAM}; charset=utf-8".encode())


OPERATIONS = (
    Operation("GET", "/tasks", list_tasks, answer="Tasks"),
    Operation("POST", "/tasks/{name}/run", run_task, answer="Task", errors=(404, 409)),
    Operation("POST", "/tasks/{name}/pause", pause_task, answer="Task", errors=(404,)),
    Operation("POST", "/tasks/{name}/resume", resume_task, answer="Task", errors=(404,)),
    Operation("GET", "/tasks/{id}", read_task, answer="CompileTask", errors=(404,)),
    Operation("GET", "/tasks/{id}/events", follow_task, content_type=EVENT_STREAM, errors=(404,)),
)
