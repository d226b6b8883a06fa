"""Whether what is given for a password, secret, key or token is one: no placeholder, type, word or reference."""

from __future__ import annotations

import re

from remem.redaction.marks import MARK_START

_WORD_LIST = (
    "null none nil true false yes no on off undefined unset empty blank optional required mandatory missing "
    "hidden string str text bytes int integer number bool boolean object any char varchar password passwd "
    "passphrase pwd pass secret token key apikey api_key value field input output prompt example placeholder "
    "redacted removed masked default changeme change_me change-me changeit todo tbd n/a na none. is are was must "
    "should can will the a an and or for of not to in with from by as it this that see same below above basic "
    "bearer digest plain hashed encrypted md5 sha1 sha256 sha512 bcrypt scrypt argon2 base64 hex utf-8 file env "
    "stdin vault keyring keychain "
)
_WORDS = frozenset(_WORD_LIST.split())
_PLACEHOLDER = re.compile(
    r"""
    (?: (?:your|some|example|sample|dummy|fake|placeholder|insert|enter|replace|change|put)
        (?:[_\-. ]|(?-i:[A-Z])|$) .*
      | <[^<>]*>? | \[[^\[\]]*\]? | \{[^{}]*\}? | \{\{.*
      | \$[A-Za-z_]+\d? | \$[({].* | %[A-Za-z_]+%? | %\(\w+\)s | :[a-z_]+ | \?+ | [!@][A-Za-z_][\w.:/\-]*
      | (?:ENC|vault|ref\+?\w*|op|env|file|arn|https?|keyring|secretsmanager|ssm)(?:\[|:).*
      | .*….*
      | ~?\.{0,2}/(?:[\w.\-]+/)+[\w.\-]*
      | [xX*•·●.…_\-\#=+~\\/|,;:!?()\[\]{}<>"'`$%^&@ ]+
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(
    r"""
      [A-Za-z_][\w.]*[(\[] .*
    | \((?:bool|str|int|string|lambda|optional)\b .*
    | SecretStr
    | (?:self|this|cls|os|sys|config|cfg|conf|settings?|env|environ|process|args?|options?|opts|secrets?|ctx|context|
        request|req|params?|data|app|user|var|local|module|kwargs|values?|props|state|input|form|row|record|
        github|inputs|steps|needs|each|item) (?:\.|->|::|\?\.) [A-Za-z_][\w.\-]*
    | (?:[A-Za-z_]\w*\.)+_?(?:password|passwd|pwd|secret|token|key|api_key|apikey)
    | (?:new|await|func|lambda|let|const|var|def)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(r"(?:[a-z]+[_\-])*(?:password|passwd|passphrase|pwd|token)s?", re.IGNORECASE)
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"[^\w\s\-.,;:'\"/()]")


def is_placeholder(value: str, *, quoted: bool) -> bool:
    """Whether a value stands for a secret, or says of what kind it is, without being one. Bare words may be code."""
    if MARK_START in value or value.casefold() in _WORDS or _PLACEHOLDER.fullmatch(value):
        return True
    return not quoted and bool(_REFERENCE.fullmatch(value) or _NAME.fullmatch(value))


def looks_secret(value: str, least: int) -> bool:
    """Whether a value of at least `least` characters is of letters and digits, or of signs with either."""
    if len(value) < least:
        return False
    letter, digit = bool(_LETTER.search(value)), bool(_DIGIT.search(value))
    return (letter and digit) or ((letter or digit) and bool(_SIGN.search(value)))
