"""Private keys as blocks of lines: PEM, OpenSSH, PGP, SSH2, PuTTY. It says where one lies, cut off or quoted too."""

from __future__ import annotations

import re

BLOCK_LITERALS = ("-----begin ", "---- begin ssh2", "private-lines:")

_LONGEST = 40_000
"""Characters of a block that are looked at."""
_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----", re.IGNORECASE
)
_END = re.compile(
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----", re.IGNORECASE
)
_BREAK = re.compile(r"\n|(?:\\r)?\\n|<br ?/?>|&#1[03];")
_DECORATION = r"""[\s>|#*"'`+,;\\]|//|\d{1,4}[:.|)] """
_LEAD = re.compile(rf"(?:{_DECORATION}){{0,40}}")
_TRAIL = " \t|\"'`+,;\\*"
_HEADER = re.compile(
    r"(?:Proc-Type|DEK-Info|Comment|Version|Charset|Hash|Subject|MessageID|x-[a-z\-]{2,30}): ?\S.{0,200}"
)
_DATA = re.compile(r"[A-Za-z0-9+/=_\-]+")
_WORDS = re.compile(r"[A-Za-z0-9+/=]{16,}(?: [A-Za-z0-9+/=]{1,})*")
_PUTTY = re.compile(r"private-lines:[ \t]{0,4}\d{1,4}", re.IGNORECASE)
_MAC = re.compile(r"private-(?:mac|hash): ?[0-9a-f]+", re.IGNORECASE)


def find_block(text: str, start: int) -> tuple[int, int] | None:
    """Where the private key lies whose first line begins at `start`; None where that line is only spoken of."""
    begin = _BEGIN.match(text, start)
    if begin is not None:
        end = _measure_body(text, begin.end())
        return None if end is None else (start, end)
    putty = _PUTTY.match(text, start)
    if putty is None:
        return None
    end = _measure_body(text, putty.end(), putty=True)
    return None if end is None else (putty.end(), end)


def _measure_body(text: str, start: int, *, putty: bool = False) -> int | None:
    """Where the lines of a key end that begin at `start`; None where there are none. What is no line of a key ends it,
    so that one whose end is missing is found too."""
    limit = min(len(text), start + _LONGEST)
    place, end = start, None
    while place < limit:
        found = _BREAK.search(text, place, limit)
        stop = found.start() if found else limit
        begun = _LEAD.match(text, place, stop)
        lead = begun.end() if begun else place
        closing = None if putty else _END.search(text, lead, stop)
        if closing is not None:
            inside = text[lead : closing.start()].strip()
            return closing.end() if end is not None or _is_data(inside) else None
        line = text[lead:stop].rstrip(_TRAIL)
        if putty and _MAC.fullmatch(line):
            return lead + len(line)
        if line and not _is_line(line, first=end is None) and not _is_last(text, line, found):
            return end
        if line:
            end = lead + len(line)
        if found is None:
            return end
        place = found.end()
    return end


def _is_line(line: str, *, first: bool) -> bool:
    if _HEADER.fullmatch(line):
        return True
    # The last line alone may be short; a short one that is no word is taken for it.
    return _is_data(line) and (len(line) >= 16 or (not first and not line.isalpha()))


def _is_last(text: str, line: str, found: re.Match[str] | None) -> bool:
    """Whether the line that says so ends behind a line of data."""
    if found is None or not _is_data(line):
        return False
    begun = _LEAD.match(text, found.end())
    return begun is not None and _END.match(text, begun.end()) is not None


def _is_data(line: str) -> bool:
    return bool(_DATA.fullmatch(line) or _WORDS.fullmatch(line))
