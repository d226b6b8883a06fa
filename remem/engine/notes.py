"""The calls of class `Remem` that compile notes, read them, and on what follows from their texts. It knows no SQL and
no face."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from remem.checks import check_int, check_path, check_text
from remem.clock import read_clock
from remem.engine.work import WorkCalls
from remem.limits import DEEPEST_TREE, LONGEST_ROOT
from remem.reading.cursors import check_page

if TYPE_CHECKING:
    from remem.records import CompileReport, DropReport, Mention, NodeView, Page, Root, TreeLine
    from remem.writing.compile import CompileRequest, Progress


class NoteCalls(WorkCalls):
    """What `Remem` does with folders of notes. All methods raise subclasses of `remem.errors.RememError`."""

    async def compile(
        self,
        path: str | os.PathLike[str],
        root: str | None = None,
        *,
        moved: bool = False,
        prune: bool = False,
        dry_run: bool = False,
        discover: bool = True,
        progress: Progress | None = None,
    ) -> CompileReport:
        """Compiles a file or a folder; only what changed is read.

        `root` names the root (else the folder's own name), `moved` confirms that it lies elsewhere now, `prune` that
        many files were deleted on purpose; `dry_run` changes nothing. Without `discover`, what texts mention without a
        link is left to the next compile or `settle`. `progress` is called with `CompileProgress`.
        Raises NotFoundError, ConflictError, InvalidInputError.
        """
        from remem.writing.compile import CompileRequest

        chosen = None if root is None else check_text("root", root, longest=LONGEST_ROOT)
        place = Path(check_path("path", path))
        return await self._compile(CompileRequest(place, chosen, moved, prune, dry_run, progress, discover))

    async def _compile(self, request: CompileRequest) -> CompileReport:
        """The same, as a request says."""
        from remem.writing.compile import CompileOptions, compile_path

        limits = self.settings.compile
        options = CompileOptions(
            limits.max_node_tokens, limits.max_file_bytes, limits.slice_bytes, self._mention_options, self.redactor
        )
        await self._sweep_due()
        return await compile_path(self.storage, options, request)

    async def roots(self, budget: int | None = None, cursor: str | None = None) -> Page[Root]:
        """The roots by name, with where they lie and how many documents they hold."""
        from remem.reading import roots

        return await self._read(roots.page_roots, check_page(budget, cursor))

    async def drop(self, root: str) -> DropReport:
        """Removes a root and its documents from the store (never from the disk). Links to them wait.

        Raises NotFoundError for an unknown root.
        """
        from remem.writing.drop import drop_root

        await self._sweep_due()
        report = await self.storage.write_alone(drop_root, check_text("root", root), read_clock())
        await self._settle_mentions()
        return report

    async def mentions(self, budget: int | None = None, cursor: str | None = None) -> Page[Mention]:
        """The edges that texts make by naming a node without a link to it, text by text."""
        from remem.reading import mentions

        return await self._read(mentions.page_mentions, check_page(budget, cursor))

    async def tree(
        self, node: str | None = None, depth: int = 5, budget: int | None = None, cursor: str | None = None, *,
        blocks: bool = True, as_of: int | None = None,
    ) -> Page[TreeLine]:  # fmt: skip
        """The index: the whole store, or what lies below one node, down to `depth` (0 to 1000). Without `blocks`,
        documents and sections alone.

        A `budget` (tokens, at least 60) takes the upper levels first, of each the hottest branches. `as_of` shows the
        index as it was at that snapshot, in its order. Raises NotFoundError, AmbiguousError, InvalidInputError;
        RefusedError where a text of that snapshot was purged.
        """
        depth, page = check_int("depth", depth, 0, DEEPEST_TREE), check_page(budget, cursor)
        if as_of is not None:
            from remem.reading import past

            return await self._read(past.read_past_tree, node, depth, blocks, page, self.usage.read_heats, as_of)
        from remem.reading import tree

        warmth = tree.Warmth(self.usage.read_heats, self.usage.half_life, read_clock())
        return await self._read(tree.read_tree, node, depth, blocks, page, warmth)

    async def show(
        self, node: str, depth: int = 5, budget: int | None = None, cursor: str | None = None, *, touch: bool = True,
        as_of: int | None = None,
    ) -> Page[NodeView]:  # fmt: skip
        """One node to read, the one item of its page: its section's text, what it lies in, what lies below, the edges
        at it. With a budget, the item holds the part that is printed, and the cursor goes on there.

        It warms the node, unless `touch` is false; temperatures are those before the call. `as_of` shows the node as it
        was at that snapshot, without edges, gone though it may be (by its id), and warms nothing.
        """
        depth, page, usage = check_int("depth", depth, 0, DEEPEST_TREE), check_page(budget, cursor), self.usage
        if as_of is not None:
            from remem.reading import past

            return await self._read(past.read_past_view, node, depth, page, usage.read_heats, as_of)
        from remem.reading import views

        key, view = await self._read(views.read_view, node, depth, page, usage.read_heats)
        if touch:
            usage.note_fetched([key])
        return view
