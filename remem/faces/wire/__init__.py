"""Records as JSON shapes, the same for every face, and the one table from an error's code to how a face reports it.

Times are ISO 8601 in UTC with milliseconds and `Z`. It prints and answers nothing itself.
"""

from __future__ import annotations

from remem.faces.wire.edits import show_edited as show_edited
from remem.faces.wire.export import list_lines as list_lines
from remem.faces.wire.export import show_export as show_export
from remem.faces.wire.graph import show_all_related as show_all_related
from remem.faces.wire.graph import show_connection as show_connection
from remem.faces.wire.graph import show_connections as show_connections
from remem.faces.wire.graph import show_mention as show_mention
from remem.faces.wire.graph import show_mentions as show_mentions
from remem.faces.wire.graph import show_neighbourhood as show_neighbourhood
from remem.faces.wire.graph import show_path as show_path
from remem.faces.wire.graph import show_pending as show_pending
from remem.faces.wire.graph import show_related as show_related
from remem.faces.wire.graph import show_relation as show_relation
from remem.faces.wire.graph import show_unrelated as show_unrelated
from remem.faces.wire.memories import show_forgotten as show_forgotten
from remem.faces.wire.memories import show_found as show_found
from remem.faces.wire.memories import show_memories as show_memories
from remem.faces.wire.memories import show_results as show_results
from remem.faces.wire.memories import show_shortened as show_shortened
from remem.faces.wire.memories import show_stored as show_stored
from remem.faces.wire.nodes import show_rest as show_rest
from remem.faces.wire.nodes import show_tree as show_tree
from remem.faces.wire.nodes import show_usage as show_usage
from remem.faces.wire.nodes import show_view as show_view
from remem.faces.wire.pictures import read_positions as read_positions
from remem.faces.wire.pictures import show_picture as show_picture
from remem.faces.wire.report import DONE as DONE
from remem.faces.wire.report import FAILED as FAILED
from remem.faces.wire.report import INTERRUPTED as INTERRUPTED
from remem.faces.wire.report import REPORTS as REPORTS
from remem.faces.wire.report import WRONG_USAGE as WRONG_USAGE
from remem.faces.wire.report import find_report as find_report
from remem.faces.wire.search import show_recall as show_recall
from remem.faces.wire.search import show_search as show_search
from remem.faces.wire.search import show_work as show_work
from remem.faces.wire.store import show_cold as show_cold
from remem.faces.wire.store import show_compile as show_compile
from remem.faces.wire.store import show_diagnostic as show_diagnostic
from remem.faces.wire.store import show_doctor as show_doctor
from remem.faces.wire.store import show_drop as show_drop
from remem.faces.wire.store import show_figures as show_figures
from remem.faces.wire.store import show_roots as show_roots
from remem.faces.wire.store import show_stats as show_stats
from remem.faces.wire.store import show_task as show_task
from remem.faces.wire.store import show_tasks as show_tasks
from remem.faces.wire.store import show_watch as show_watch
from remem.faces.wire.transfer import show_backup as show_backup
from remem.faces.wire.transfer import show_import as show_import
from remem.faces.wire.transfer import show_migration as show_migration
from remem.faces.wire.transfer import show_restored as show_restored
from remem.faces.wire.values import FATES as FATES
from remem.faces.wire.values import Json as Json
from remem.faces.wire.values import dump_json as dump_json
from remem.faces.wire.values import read_time as read_time
from remem.faces.wire.values import show_time as show_time
from remem.faces.wire.versions import show_delta as show_delta
from remem.faces.wire.versions import show_diff as show_diff
from remem.faces.wire.versions import show_history as show_history
from remem.faces.wire.versions import show_purge as show_purge
from remem.faces.wire.versions import show_rollback as show_rollback
from remem.faces.wire.versions import show_snapshots as show_snapshots
