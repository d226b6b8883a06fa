"""Secrets that are known by their name: `password=…`, `api_key: …`, `--token …`, in headers, tables, attributes, and
passwords in addresses. Of each only the value is one."""

from __future__ import annotations

import re
from typing import NamedTuple

from remem.redaction.marks import is_in_mark
from remem.redaction.values import is_placeholder, looks_secret

ADDRESS_LITERALS = ("://", ":\\/\\/")
HEADER_LITERALS = ("authorization",)


class Naming(NamedTuple):
    """What names of a kind are made of, and how much a value must look like a secret where nothing else says so."""

    kind: str
    strict: bool
    least: int


_PASSWORD, _SECRET = Naming("password", False, 4), Naming("password", False, 6)
_SHORT, _KEY, _TOKEN = Naming("password", True, 6), Naming("api_key", True, 8), Naming("token", True, 12)
_KEYS = ("api", "access", "auth", "account", "encryption", "signing", "master", "shared", "subscription", "storage",
         "service", "client", "app")  # fmt: skip
NAMINGS: dict[str, Naming] = {
    **dict.fromkeys(("password", "passwort", "passwd", "passphrase", "kennwort", "pwd"), _PASSWORD),
    **dict.fromkeys(("secret", "credential"), _SECRET),
    **dict.fromkeys(("pass=", "pass:", 'pass"', "pass'", "pass ="), _SHORT),
    **{name + sign + "key": _KEY for name in _KEYS for sign in ("", "_", "-", " ", "\\_")},
    "private_key": _KEY,
    "token": _TOKEN,
}
"""By literal in lower case."""
_NAMED = {"key": "api_key", "token": "token"}
"""The kind of a name like `secret_key` by its end."""

_AFTER = re.compile(
    r"""
    (?:\\?[_\- ]?(?:access|shared)?\\?[_\- ]?(?P<more>key|token|value|text|string|phrase))?
    (?:\\?[_\-](?:old|new|prod|production|dev|development|staging|stage|test|live|main|root|admin|user|db))?\d{0,2}
    (?P<close>\\?["'`]\]?|\*{1,3}|__?|</(?:b|i|strong|em|code|dt|th|td|label|span)>)?
    [ \t]{0,40}
    (?P<sign>:[ ]?(?:str|string|SecretStr|bytes)[ ]?=|::?=|=>|={1,2}|:|\||>)
    (?P<mark>\*{1,3}|__)?
    (?P<gap>[ \t]{0,40}(?:[|>]?-?[ \t]{0,4}\\?\n[ \t>]{1,40})?)
    (?P<open>\\?["']{1,3}|`{1,3}|\*{1,3}|<(?:b|i|strong|em|code|dd|td|span|string)>|(?:[bBrRuUfF](?=["'])))?
    (?P<quote>["'])?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FLAG = re.compile(r"[ \t]{1,4}(?P<open>[\"'])?")
_ATTRIBUTE = re.compile(r"""["'][^<>\n]{0,200}?\bvalue=(["'])([^"'<>\n]{1,500})\1""", re.IGNORECASE)
_BARE = re.compile(r"""[^\s"'`<>]{1,500}""")
_IN_LIST = re.compile(r"""[^;"'`<>\n]{1,200}(?=;)""")
_LIST_NAME = re.compile(r"[;\"'][ \t]?\w{0,20}\Z")
"""A name in a connection string like `Server=…;User Id=…;Password=…;`, whose values may hold spaces."""
_LINE_START = re.compile(
    r"""(?:^|[\n{,|(])[\s\-*+>"'`_#|\\{]*[\w.\- \\]{0,40}\Z|(?:^|\n)[^\n]{0,6}(?:export|set|env)[ \t]\S*\Z""",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"""[ \t]*(?:["'`*_,;|)}\]<\\&]|\.?[ \t]*(?:$|\n|\#|//))""")
_FLAG_NAME = re.compile(r"(?:^|[\s\"'`(])--?[\w\-]{0,30}\Z")
_TAG_NAME = re.compile(r"<[\w.:\-]{0,40}\Z")
_HEADER = re.compile(
    r"""
    authorization["'`*]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}["'`]?[ \t]{0,4}
    (?P<scheme>bearer|basic|token|apikey|bot|digest|negotiate|key)?[ \t]{1,4}
    (?P<value>[^\s"'`<>]{6,4000})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ADDRESS = re.compile(r""":\\?/\\?/(?P<rest>[^\s"'`<>]{3,800})""")
_AUTHORITY_END = re.compile(r"[/?#]|\\/")
_HOST = re.compile(r"[\w\[.\-{$%]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,30}\Z")
_WEB = ("http", "https", "ftp", "ftps", "sftp", "ssh", "git", "git+https", "git+http", "svn", "ws", "wss")
_TRAIL = ".,;:!?)}]*_|\\"


class Value(NamedTuple):
    """Where a secret value lies, of what kind it is, and whether it stands bare where a quoted name says that it is one
    of JSON."""

    start: int
    end: int
    kind: str
    bare_json: bool = False


# --- names ------------------------------------------------------------------------------------------------------------


def find_value(text: str, start: int, end: int, literal: str) -> Value | None:
    """The secret that is given for a name that holds the literal in `start` to `end`; None where none is."""
    if is_in_mark(text, start):
        return None
    naming = NAMINGS[literal]
    if literal.startswith("pass") and not literal.startswith(("passw", "passph")):
        if start and (text[start - 1].isalnum()):
            return None  # as in bypass=
        end = start + 4
    after = _AFTER.match(text, end)
    if after is None:
        return _find_flag(text, start, end, naming) or _find_attribute(text, end, naming)
    if after["sign"] == ">" and not _TAG_NAME.search(text, max(0, start - 42), start):
        return None
    return _take_value(text, start, after, naming) or _find_attribute(text, end, naming)


def _take_value(text: str, start: int, after: re.Match[str], naming: Naming) -> Value | None:
    begin, opened = after.end(), (after["open"] or "") + (after["quote"] or "")
    sign = opened.strip("bBrRuUfF")
    if sign.strip("\\")[:1] in ('"', "'", "`"):
        found = _read_quoted(text, begin, sign)
        if found is not None:
            return _judge(text, start, begin, found, after, naming, quoted=True)
    if after["sign"] == "=" and _LIST_NAME.search(text, max(0, start - 24), start):
        listed = _IN_LIST.match(text, begin)
        if listed is not None:
            return _judge(text, start, begin, listed.end(), after, naming, quoted=True)
    bare = _BARE.match(text, begin)
    if bare is None:
        return None
    return _judge(text, start, begin, _trim(text, bare, after["sign"]), after, naming, quoted=False)


def _read_quoted(text: str, start: int, sign: str) -> int | None:
    """Where the quoted value ends that begins at `start`; None where it is empty or does not end on its line."""
    stop = text.find("\n", start, start + 2000)
    stop = min(len(text), start + 2000) if stop < 0 else stop
    place = text.find(sign, start, stop)
    while place > start and len(sign) == 1 and sign != "`" and text[place - 1] == "\\" and text[place - 2] != "\\":
        place = text.find(sign, place + 1, stop)
    return place if place > start else None


def _trim(text: str, bare: re.Match[str], sign: str) -> int:
    """Where a bare value ends: before what follows it in a list of them, and before marks of the text around it."""
    value = bare[0]
    for number, char in enumerate(value):
        rest = value[number + 1 :]
        if char in ";&" and "=" in sign and (not rest or re.match(r"[\w.\- ]{1,40}=|amp;", rest)):
            value = value[:number]
            break
        if char in ",|" and (not rest or re.match(r"\\?[\"'\w.\-]{1,40}[=:]", rest)):
            value = value[:number]
            break
    trimmed = value.rstrip(_TRAIL)
    if len(trimmed) < len(value) and value[len(trimmed)] in "!?":  # a password may well end so
        trimmed = value[: len(trimmed) + 1]
    return bare.start() + len(trimmed)


def _judge(
    text: str, start: int, begin: int, end: int, after: re.Match[str], naming: Naming, *, quoted: bool
) -> Value | None:
    value = text[begin:end]
    if not value.strip() or is_placeholder(value.strip(), quoted=quoted):
        return None
    json = not quoted and after["close"] in ('"', '\\"') and after["sign"] == ":"
    sure = looks_secret(value, naming.least if quoted or "=" in after["sign"] else max(naming.least, 4))
    if quoted and " " in value and naming.strict:
        sure = False
    if not sure and not naming.strict and after["sign"] != "|":
        sure = _is_given(text, start, end, after, naming, value, quoted=quoted)
    if after["sign"] == "|" and not (sure and looks_secret(value, 6) and _LINE_END.match(text, end)):
        return None
    return Value(begin, end, _NAMED.get((after["more"] or "").lower(), naming.kind), json) if sure else None


def _is_given(
    text: str, start: int, end: int, after: re.Match[str], naming: Naming, value: str, *, quoted: bool
) -> bool:
    """Whether a plain word is given as a password: with `=`, quoted, or alone on the line of its name."""
    if value.isdigit():
        return len(value) >= 4
    if "=" in after["sign"] or after["sign"] == ">":
        return len(value) >= 2 and (quoted or bool(_LINE_END.match(text, end)) or "\n" not in text[end : end + 1])
    if quoted:
        return len(value) >= naming.least
    alone = bool(_LINE_END.match(text, end)) and bool(_LINE_START.search(text, max(0, start - 80), start))
    return alone and len(value) >= naming.least and naming is _PASSWORD


def _find_flag(text: str, start: int, end: int, naming: Naming) -> Value | None:
    """The value behind `--password`."""
    gap = _FLAG.match(text, end)
    if gap is None or not _FLAG_NAME.search(text, max(0, start - 40), start):
        return None
    begin = gap.end()
    quoted = _read_quoted(text, begin, gap["open"]) if gap["open"] else None
    bare = _BARE.match(text, begin)
    stop = quoted or (bare.start() + len(bare[0].rstrip(".,;)]}")) if bare else begin)
    value = text[begin:stop]
    if not value or value.startswith("-") or is_placeholder(value, quoted=quoted is not None):
        return None
    return Value(begin, stop, naming.kind) if looks_secret(value, min(naming.least, 8)) or quoted else None


def _find_attribute(text: str, end: int, naming: Naming) -> Value | None:
    """The value of an element of HTML whose type or name is that of a password."""
    if text[end : end + 1] not in ('"', "'"):
        return None
    found = _ATTRIBUTE.match(text, end)
    if (
        found is None
        or is_placeholder(found[2], quoted=True)
        or not looks_secret(found[2], 1 if naming is _PASSWORD else 8)
    ):
        return None
    return Value(found.start(2), found.end(2), naming.kind)


# --- headers and addresses --------------------------------------------------------------------------------------------


def find_header(text: str, start: int) -> Value | None:
    """The credentials of a header of HTTP."""
    found = _HEADER.match(text, start)
    if found is None:
        return None
    value = found["value"].rstrip(",;)}]\\")
    scheme = (found["scheme"] or "").lower()
    if is_placeholder(value, quoted=False) or not (scheme == "basic" or looks_secret(value, 8)):
        return None
    begin = found.start("value")
    return Value(begin, begin + len(value), "password" if scheme == "basic" else "token")


def find_address(text: str, start: int) -> Value | None:
    """The password in an address: `scheme://user:password@host`."""
    if text.find("@", start, start + 800) < 0:
        return None
    found = _ADDRESS.match(text, start)
    if found is None or "@" not in found["rest"]:
        return None
    user, value = _split_address(found["rest"])
    if not value or is_placeholder(value, quoted=False):
        return None
    scheme = _SCHEME.search(text, max(0, start - 31), start)
    web = scheme is None or scheme[0].lower() in _WEB
    begin = found.start("rest") + len(user) + 1
    return Value(begin, begin + len(value), "password" if web else "connection_string")


def _split_address(rest: str) -> tuple[str, str]:
    """User and password of what stands behind the scheme of an address; two empty texts where there are none."""
    stop = _AUTHORITY_END.search(rest)
    authority = rest[: stop.start()] if stop else rest
    user, colon, value = authority.partition(":")
    if "@" in value:
        before, _, host = value.rpartition("@")
        return (user, before) if _HOST.match(host) else ("", "")
    # A password may hold a slash as it is; behind a port stands a path.
    if not colon or "@" in user or value.isdigit() or not value:
        return "", ""
    before, at, host = rest[len(user) + 1 :].partition("@")
    return (user, before) if at and _HOST.match(host) else ("", "")
