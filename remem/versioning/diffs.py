"""Unified diffs of the texts of nodes. Pure."""

from __future__ import annotations

from difflib import unified_diff

LONGEST = 400_000
"""Texts of more characters together are not compared line by line: the time is quadratic at worst."""


def diff_texts(id: str, before: str, after: str, a: int, b: int) -> str:
    """A unified diff with three lines around each change, "" for equal texts. `a` and `b` are the snapshots."""
    if before == after:
        return ""
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    if len(before) + len(after) > LONGEST:
        hunk = [f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
        return "\n".join([f"--- {id} snapshot {a}", f"+++ {id} snapshot {b}", *hunk])
    return "\n".join(unified_diff(old, new, f"{id} snapshot {a}", f"{id} snapshot {b}", lineterm=""))
