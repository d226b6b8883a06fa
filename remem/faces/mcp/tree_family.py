"""The tools of the tree family, in the order in which clients show them. Holds the table alone."""

from __future__ import annotations

from remem.faces.mcp.changing_tools import CHANGING_TOOLS
from remem.faces.mcp.reading_tools import READING_TOOLS

TREE_TOOLS = (*READING_TOOLS, *CHANGING_TOOLS)
