"""Secrets that are known by their form: tokens and keys of services, JSON web tokens. A table; it finds nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

_START = r"(?<![A-Za-z0-9])"
_ALONE = r"(?<![A-Za-z0-9_\-])"
_END = r"(?![A-Za-z0-9])"
_LOW = r"\\?_"
"""An underscore, as editors of Markdown escape it."""
_BREAK = r"(?:\\?\n[ \t>]{0,16})?"


class TokenRule(NamedTuple):
    """What follows each of some lower-case literals; group 1 is the secret where there is one, else all is. Matching
    begins at the literal."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(kind: str, literals: str, pattern: str) -> TokenRule:
    return TokenRule(kind, tuple(literals.split()), re.compile(pattern))


TOKEN_RULES: tuple[TokenRule, ...] = (
    # Amazon: an access key, and a secret key that stands beside it.
    _rule("api_key", "akia asia abia acca", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_END}"),
    # Google
    _rule("api_key", "aiza", rf"{_START}AIza[\w\-]{{35}}{_END}"),
    _rule("api_key", "gocspx-", rf"{_START}GOCSPX-[\w\-]{{28}}"),
    _rule("token", "ya29.", rf"{_START}ya29\.[\w\-.]{{30,2000}}"),
    # Microsoft
    _rule(
        "api_key",
        "accountkey= accesskey= sharedaccesskey=",
        r"(?i:accountkey|accesskey)=\s?([A-Za-z0-9+/%\\]{40,200}={0,3})",
    ),
    _rule("token", "sig=", r"(?<![A-Za-z0-9])sig=([A-Za-z0-9+/%\-_]{40,200}={0,3})"),
    _rule("api_key", "q~", r"(?<=[\w.\-]{3}\d)Q~[\w.~\-]{31,34}"),
    # Source code
    _rule(
        "token",
        "ghp_ gho_ ghu_ ghs_ ghr_ ghp\\_ gho\\_ ghu\\_ ghs\\_ ghr\\_",
        rf"{_START}gh[pousr]{_LOW}[A-Za-z0-9]{{30,255}}",
    ),
    _rule("token", "github_pat_ github\\_pat\\_", rf"{_START}github{_LOW}pat{_LOW}[A-Za-z0-9_\\]{{22,255}}"),
    _rule(
        "token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent-",
        rf"{_ALONE}gl[a-z]{{2,6}}-[\w\-.=]{{20,300}}",
    ),
    _rule("token", "npm_ npm\\_", rf"{_START}npm{_LOW}[A-Za-z0-9]{{36}}{_END}"),
    _rule("token", "pypi-ag", rf"{_START}pypi-Ag[\w\-]{{50,500}}"),
    _rule("token", "hf_ hf\\_", rf"{_START}hf{_LOW}[A-Za-z0-9]{{30,40}}{_END}"),
    _rule("token", "rubygems_ dckr_pat_", rf"{_START}(?:rubygems_[0-9a-f]{{48}}|dckr_pat_[\w\-]{{27}})"),
    # Talk and mail
    _rule(
        "token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xapp- xoxc- xoxd-",
        rf"{_START}(?:xox[a-z][\-.]|xapp-)[\w\-.%]{{10,300}}",
    ),
    _rule("token", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{20,200})"),
    _rule(
        "token",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"[\w.]{7,20}/api/webhooks/(\d{10,25}/[\w\-]{50,100})",
    ),
    _rule("token", ":aa", rf"(?<=\d{{8}}):AA[\w\-]{{33}}{_END}"),
    _rule("api_key", "sg.", rf"{_START}SG\.[\w\-]{{16,32}}\.[\w\-]{{16,64}}"),
    _rule("api_key", "key-", rf"{_ALONE}key-[0-9a-f]{{32}}{_END}"),
    _rule("api_key", " ".join("sk" + digit for digit in "0123456789abcdef"), rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    # Payment
    _rule(
        "api_key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk\\_live\\_ sk\\_test\\_ rk\\_live\\_ rk\\_test\\_",
        rf"{_START}[sr]k{_LOW}(?:live|test){_LOW}[A-Za-z0-9]{{10,255}}",
    ),
    _rule("api_key", "whsec_ whsec\\_", rf"{_START}whsec{_LOW}[A-Za-z0-9+/=]{{20,255}}"),
    _rule("token", "sq0atp- sq0csp-", rf"{_START}sq0[a-z]{{3}}-[\w\-]{{22,60}}"),
    # Models
    _rule(
        "api_key",
        "sk-",
        rf"{_ALONE}sk-(?:(?:proj|svcacct|admin|ant|or|lf)-[\w\-]{{20,300}}"
        rf"|[A-Za-z0-9]{{32,200}}{_END})",
    ),
    _rule(
        "api_key",
        "gsk_ gsk\\_ xai- pplx- r8_ r8\\_",
        rf"{_ALONE}(?:gsk{_LOW}|xai-|pplx-|r8{_LOW})"
        rf"[A-Za-z0-9]{{36,100}}{_END}",
    ),
    # Hosting and others
    _rule("token", "dop_v1_ doo_v1_ dor_v1_", rf"{_START}do[opr]_v1_[0-9a-f]{{64}}"),
    _rule("token", "shpat_ shpca_ shppa_ shpss_", rf"{_START}shp[a-z]{{2}}_[0-9a-fA-F]{{32}}"),
    _rule("token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[\w\-]{{24,300}}"),
    _rule(
        "token",
        "glsa_ glc_ sntrys_ sbp_ figd_ lin_api_ ntn_ tskey- pscale_ dapi nrak- pmak- atatt3 atctt3",
        rf"{_ALONE}(?:glsa_[\w]{{32,60}}|glc_[\w+/=]{{32,400}}|sntrys_[\w+/=]{{32,400}}|sbp_[0-9a-f]{{40}}|figd_[\w\-]{{40,60}}"
        rf"|lin_api_[A-Za-z0-9]{{40}}|ntn_[A-Za-z0-9]{{40,60}}|tskey-[a-z]{{3,10}}-[\w\-]{{20,80}}"
        rf"|pscale_[a-z]{{2,6}}_[\w\-.=]{{32,64}}"
        rf"|dapi[0-9a-f]{{32}}{_END}|NRAK-[A-Z0-9]{{27}}|PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|AT[AC]TT3[\w\-=]{{50,300}})",
    ),
    _rule("private_key", "age-secret-key-1", rf"{_START}AGE-SECRET-KEY-1[A-Z0-9]{{50,80}}"),
    # JSON web tokens: signed ones, and encrypted ones.
    _rule(
        "jwt",
        "eyj",
        rf"{_ALONE}eyJ[\w\-]{{8,4000}}{_BREAK}\.{_BREAK}"
        rf"eyJ[\w\-]{{6,8000}}{_BREAK}\.{_BREAK}[\w\-]{{0,4000}}"
        rf"|{_ALONE}eyJ[\w\-]{{8,4000}}\.[\w\-]{{0,2000}}\.[\w\-]{{8,200}}\.[\w\-]{{2,8000}}\.[\w\-]{{8,200}}",
    ),
    # Headers
    _rule(
        "token",
        "bearer",
        rf"{_START}(?i:bearer)[ \t]{{1,4}}{_BREAK}"
        rf"([A-Za-z0-9._~+/\-]{{16,4000}}={{0,2}})",
    ),
)

SECRET_NEAR = re.compile(
    r"[^A-Za-z0-9+/=\[][^\n]{0,60}?(?<![A-Za-z0-9+/=])(?![0-9a-f]{40})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"
)
"""The secret key of Amazon behind an access key on its line, as its files of credentials have it."""
