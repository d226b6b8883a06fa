"""Pieces of Markdown's syntax that more than one module looks for. Patterns alone; what they mean stands where they are
used."""

from __future__ import annotations

import re

FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,}|\$\$)[^\n]*")
"""A line that opens or closes code or a formula."""
FRONT_FENCE = re.compile(r"(?:---|\+\+\+|\.\.\.)[ \t]*")
"""A line that opens or closes front matter."""
DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*")
"""The line of a table below its header."""
BARE_PIPE = re.compile(r"(?<!\\)\|")
"""What parts the cells of a table: a pipe that is not escaped."""
SIZE = re.compile(r"[0-9]+(?:x[0-9]+)?")
"""What an embed shows at most of an image: its width, or width and height."""
