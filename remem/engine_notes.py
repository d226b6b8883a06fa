"""The calls of class `Remem` that compile notes, and on what follows from their texts. It knows no SQL and no face."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from remem.checks import check_text
from remem.engine_memories import MemoryCalls, read_clock
from remem.reading import mentions, roots
from remem.reading.cursors import check_page
from remem.records import CompileReport, DropReport, Mention, Page, Root

if TYPE_CHECKING:
    from remem.writing.compile import Progress
    from remem.writing.mentions import MentionOptions


class NoteCalls(MemoryCalls):
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
        from remem.writing.compile import CompileOptions, CompileRequest, compile_path

        chosen = None if root is None else check_text("root", root, longest=200)
        given = Path(check_text("path", os.fspath(path), longest=4096))
        limits = self.settings.compile
        options = CompileOptions(
            limits.max_node_tokens, limits.max_file_bytes, limits.slice_bytes, self._mention_options
        )
        request = CompileRequest(given, chosen, moved, prune, dry_run, progress, discover)
        await self._sweep_due()
        return await compile_path(self.storage, options, request)

    async def roots(self, budget: int | None = None, cursor: str | None = None) -> Page[Root]:
        """The roots by name, with where they lie and how many documents they hold."""
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
        return await self._read(mentions.page_mentions, check_page(budget, cursor))

    async def _settle_mentions(self) -> None:
        """Waits until what texts mention is brought up to date."""
        from remem.writing.mentions import settle_mentions

        await settle_mentions(self.storage, self._mention_options)

    @property
    def _mention_options(self) -> MentionOptions:
        from remem.writing.mentions import MentionOptions

        connections = self.settings.connections
        return MentionOptions(connections.mentions, connections.mention_max_texts)
