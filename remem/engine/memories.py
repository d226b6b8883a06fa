"""The calls of class `Remem` on memories. It knows no SQL and no face."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_choice, check_flag, check_int, check_texts
from remem.clock import read_clock
from remem.engine.base import run_near
from remem.engine.work import WorkCalls
from remem.limits import MOST_MEMORIES, MOST_STORED
from remem.reading.cursors import check_page
from remem.records import DEFAULT_IMPORTANCE

if TYPE_CHECKING:
    from remem.records import Forgotten, Memory, MemoryOrder, MemoryType, Page, Swept


class MemoryCalls(WorkCalls):
    """What `Remem` does with memories. All methods raise subclasses of `remem.errors.RememError`."""

    # --- storing -----------------------------------------------------------------------------------------------------

    async def store(
        self,
        content: str,
        *,
        id: str | None = None,
        memory_type: MemoryType | None = None,
        importance: float = DEFAULT_IMPORTANCE,
        tags: Sequence[str] | None = (),
        source: str = "",
        metadata: Mapping[str, object] | None = None,
        ttl: float | None = None,
        graph_extraction: Mapping[str, object] | None = None,
    ) -> Memory:
        """Stores a fact: 1 to 100 000 characters, read as Markdown for its title (a first heading), links and tags.

        `id` is 1 to 64 letters, digits, `_`, `-` (else one is made), `importance` 0 to 1, `ttl` in seconds (up to ten
        years), which makes it short_term; a short_term one without `ttl` lives for an hour, a long_term one for ever.
        `tags` are at most 50 of up to 200 characters; those in the text come on top, however many they are.
        `graph_extraction` is `{entities: [{name, type, description}], relationships: [{source, target,
        relationship_type, strength}]}`. The same content again within a source gives the memory that says so already
        (`existing`): tags united, ttl begun anew, the greater importance, long_term wins, an archived one comes back.
        Raises InvalidInputError, ConflictError for an id that exists with other content.
        """
        from remem.writing import given, memories

        check = partial(
            given.check_draft, content, id=id, memory_type=memory_type, importance=importance, tags=tags, source=source,
            metadata=metadata, ttl=ttl, graph_extraction=graph_extraction, guard=await self._load_guard(),
        )  # fmt: skip
        draft = await run_near(check, content)
        stored = await self.storage.write(memories.store_memories, [draft], read_clock(), self.uses)
        self._note_work()
        return stored[0]

    async def store_batch(self, items: Sequence[str | Mapping[str, object]]) -> list[Memory]:
        """Stores up to 1000 memories, all or none: texts, or mappings of the fields of `store`. An error names the item
        by its number from 0 (`facts["item"]`). One snapshot."""
        from remem.writing import given, memories

        drafts = await asyncio.to_thread(given.check_batch, items, await self._load_guard())
        stored = await self.storage.write_alone(memories.store_memories, drafts, read_clock(), self.uses)
        self._note_work()
        return stored

    async def update(self, node: str, /, **fields: object) -> Memory:
        """Replaces the given fields of a memory: content, memory_type, importance, tags, source, metadata, ttl. The
        links of new content are followed; edges that calls made stay.

        Raises NotFoundError, AmbiguousError, InvalidInputError; ConflictError for what is no memory.
        """
        from remem.writing import given, memories

        check = partial(given.check_change, fields, await self._load_guard())
        change = await run_near(check, fields.get("content"))
        memory = await self.storage.write(memories.update_memory, node, change, read_clock(), self.uses)
        self._note_work()
        return memory

    # --- reading -----------------------------------------------------------------------------------------------------

    async def get(
        self, node: str, *, archived: bool = False, touch: bool = True, as_of: int | None = None
    ) -> Memory:  # fmt: skip
        """One memory, or a node of a note with the fields of a memory. With `archived`, an archived memory too (by its
        id). It warms the memory and counts as an access, unless `touch` is false; figures are those before the call.
        `as_of` gives the text and tags that it had at that snapshot, gone though it may be (by its id); warms nothing.

        Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        from remem.reading import memories

        check_flag("archived", archived)
        if as_of is not None:
            from remem.reading import past

            return await self._read(past.read_past_memory, node, as_of, read_clock(), self.uses)
        key, memory = await self._read(memories.read_as_memory, node, archived, read_clock(), self.uses)
        if touch and key is not None:
            self.usage.note_fetched([key])
        return memory

    async def get_batch(self, ids: Sequence[str]) -> list[Memory | None]:
        """Memories, or nodes of notes, by id, in the order of the ids; None where none of that id lives. Warms nothing.

        Raises InvalidInputError for more than 1000.
        """
        from remem.reading import memories

        check_int("ids", len(check_texts("ids", ids)), 0, MOST_STORED)
        return await self._read(memories.read_batch, ids, read_clock(), self.uses)

    async def memories(
        self,
        limit: int = 10,
        cursor: str | None = None,
        sort_by: MemoryOrder = "created_at",
        order: str = "desc",
        *,
        budget: int | None = None,
        memory_type: MemoryType | None = None,
        importance_min: float = 0.0,
        importance_max: float = 1.0,
        tags: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        archived: bool = False,
    ) -> Page[Memory]:
        """Memories that pass all filters, at most `limit` (1 to 200) on a page, by created_at, updated_at, accessed_at
        or importance, "desc" or "asc". Of several tags all must hold, of several sources one, which is matched as in a
        search ("" being memories without one). Times are milliseconds.
        With `archived`, archived ones instead of living ones. Listing warms nothing. Raises InvalidInputError.
        """
        from remem.reading import memories
        from remem.writing import given

        limit, page = check_int("limit", limit, 1, MOST_MEMORIES), check_page(budget, cursor)
        field = check_choice("sort_by", sort_by, records.MEMORY_ORDERS)
        way = memories.Order(field, check_choice("order", order, ("asc", "desc")) == "desc")
        wanted = given.check_filter(
            memory_type, importance_min, importance_max, tags, sources, created_after, created_before, archived
        )
        return await self._read(memories.page_memories, wanted, way, limit, page, read_clock(), self.uses, self.shown)

    # --- the life of a memory ----------------------------------------------------------------------------------------

    async def delete(self, node: str, *, hard: bool = False) -> Forgotten:
        """Archives a memory; with `hard`, removes it for good (its text stays in the history until it is purged), an
        archived one by its id too. One snapshot. `forget` does the same, and takes nodes of notes as well.

        Raises NotFoundError, AmbiguousError; ConflictError for what is no memory.
        """
        from remem.writing import lifecycle

        check_flag("hard", hard)
        return await self.storage.write(lifecycle.forget_memory, node, hard, read_clock(), self.uses)

    async def unarchive(self, id: str) -> Memory:
        """Brings an archived memory back under its id, with its edges; the time of a short-term one begins anew.

        Raises NotFoundError; ConflictError where another memory says the same by now.
        """
        from remem.writing import lifecycle

        return await self.storage.write(lifecycle.unarchive_memory, id, read_clock(), self.uses)

    async def promote(self, node: str) -> Memory:
        """Makes a memory long_term: it never expires. Makes no snapshot. Raises NotFoundError, ConflictError."""
        from remem.writing import lifecycle

        return await self.storage.write(lifecycle.promote_memory, node, read_clock(), self.uses)

    async def expire(self) -> Swept:
        """Archives what has expired, and promotes what was read three times; with `[lifecycle] remove_archived`,
        removes what has been archived for long. Reads need no such call: what has expired is hidden from them."""
        return await self.sweeper.sweep()
