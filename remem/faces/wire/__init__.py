"""Records as JSON shapes, the same for every face, and the one table from an error's code to how a face reports it.

Times are ISO 8601 in UTC with milliseconds and `Z`. It prints and answers nothing itself. A
module is imported when the first name of it is used (`lazy`).
"""

from __future__ import annotations

from remem.lazy import hand_out

_NAMES = {
    "edits": "show_edited",
    "export": "list_lines show_export",
    "graph": """
        show_all_related show_connection show_connections show_mention show_mentions show_neighbourhood show_path
        show_pending show_related show_relation show_unrelated
    """,
    "memories": "show_forgotten show_found show_memories show_results show_shortened show_stored",
    "nodes": "show_rest show_tree show_usage show_view",
    "pictures": "read_positions show_picture",
    "report": "DONE FAILED INTERRUPTED REPORTS WRONG_USAGE find_report",
    "search": "show_recall show_search show_work",
    "store": """
        show_cold show_compile show_diagnostic show_doctor show_drop show_figures show_roots show_stats show_task
        show_tasks show_watch
    """,
    "transfer": "show_backup show_import show_migration show_restored",
    "values": "FATES Json dump_json read_time show_time",
    "versions": "show_delta show_diff show_history show_purge show_rollback show_snapshots",
}

__all__, __getattr__, __dir__ = hand_out(__name__, _NAMES)
