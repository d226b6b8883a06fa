"""The tools of the tree family, in the order in which clients show them. Holds the table alone."""

from __future__ import annotations

from remem.faces.mcp.changing_tools import CHANGING_TOOLS
from remem.faces.mcp.editing_tools import EDITING_TOOLS
from remem.faces.mcp.reading_tools import READING_TOOLS
from remem.faces.mcp.version_tools import ROLLBACK_TOOL, VERSION_TOOLS

TREE_TOOLS = (*READING_TOOLS, *VERSION_TOOLS, *CHANGING_TOOLS, *EDITING_TOOLS, ROLLBACK_TOOL)
"""What reads comes first: where the listing has no room for all output schemas, it keeps those of the first tools."""
