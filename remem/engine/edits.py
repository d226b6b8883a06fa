"""The calls of class `Remem` that change notes: write, summarise, forget. It knows no SQL and no face."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_choice, check_flag, check_text
from remem.clock import read_clock
from remem.engine.base import run_near
from remem.engine.work import WorkCalls
from remem.errors import InvalidInputError
from remem.limits import LONGEST_REFERENCE

if TYPE_CHECKING:
    from remem.records import Edited, ForgetMode, Forgotten, WriteFormat


class EditCalls(WorkCalls):
    """What `Remem` does to notes beside compiling them. The files are never written: what a call changed stays until
    its own file changes. All methods raise subclasses of `remem.errors.RememError`."""

    async def write(
        self, payload: str, anchor: str | None = None, parent: str | None = None, format: WriteFormat = "markdown"
    ) -> Edited:  # fmt: skip
        """Writes a text of 1 to 1 000 000 characters, "markdown" or "html", parsed like a file.

        With an `anchor` it takes the place of that section (a heading with all below it), block, document or memory;
        with a `parent` it is added to that section or document; with neither it is stored as a memory. Headings move to
        the levels that fit. Nodes keep their ids as they do when a file is compiled. One snapshot.
        Raises NotFoundError, AmbiguousError, ConflictError; InvalidInputError for both an anchor and a parent, a text
        that makes no node, and a parent below which nothing can lie.
        """
        from remem.writing import payloads

        if anchor is not None and parent is not None:
            raise InvalidInputError("give an `anchor` or a `parent`, not both", field="parent")
        target = None if anchor is None else check_text("anchor", anchor, longest=LONGEST_REFERENCE)
        above = None if parent is None else check_text("parent", parent, longest=LONGEST_REFERENCE)
        limit, guard = self.settings.compile.max_node_tokens, await self._load_guard()
        check = partial(payloads.check_payload, payload, format, limit, guard)
        given = await run_near(check, payload)
        edited = await self._write(payloads.write, given, target, above, read_clock(), self.uses)
        self._note_work()
        return edited

    async def summarise(self, node: str, text: str) -> Edited:
        """Replaces what a node says by a summary of 1 to 100 000 characters: same id, same label, the text before in
        the history.

        Of a heading or document, all below it (but for front matter and the title heading) becomes one node. Links that
        the summary does not repeat stay with it. One snapshot. Raises NotFoundError, AmbiguousError, InvalidInputError;
        ConflictError for front matter and for an entity.
        """
        from remem.writing import payloads

        reference = check_text("node", node, longest=LONGEST_REFERENCE)
        change = await run_near(partial(payloads.check_summary, text, await self._load_guard()), text)
        edited = await self._write(payloads.summarise, reference, change, read_clock(), self.uses)
        self._note_work()
        return edited

    async def forget(self, node: str, mode: ForgetMode = "strict", *, hard: bool = False) -> Forgotten:
        """Takes a node out. Of a note it stays away until its own text in the file changes; a memory is archived, or
        with `hard` removed for good (its text stays in the history until it is purged), an archived one by its id too.

        `mode` says what becomes of what lies below a node of a note: "strict" refuses where there is anything,
        "cascade" takes it along, "reparent" lifts the children to the node above. One snapshot.
        Raises NotFoundError, AmbiguousError; ConflictError for an entity, and for a node with others below it;
        InvalidInputError for "reparent" of a document, and for `hard` of a note.
        """
        from remem.writing import forgetting

        chosen, for_good = check_choice("mode", mode, records.FORGET_MODES), check_flag("hard", hard)
        forgotten = await self._write(forgetting.forget_node, node, chosen, for_good, read_clock(), self.uses)
        self._note_work()
        return forgotten
