"""What calls changed in notes, as JSON shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces.wire.store import show_diagnostic
from remem.faces.wire.values import FATES, Json, pick_fields

if TYPE_CHECKING:
    from remem.records import Edited

_edited_fields = pick_fields("id", "kind", "label", "root", "source", "snapshot")
_node_fields = pick_fields("id", "kind", "label")


def show_edited(edited: Edited) -> Json:
    """What a write or summary did: the node that holds the text now, the nodes by fate, the problems of the text.
    `snapshot` is null where nothing changed."""
    fates = {name: getattr(edited, name) for name in FATES}
    return {
        **_edited_fields(edited),
        **{name: [_node_fields(node) for node in nodes] for name, nodes in fates.items()},
        "diagnostics": [show_diagnostic(found) for found in edited.diagnostics],
    }
