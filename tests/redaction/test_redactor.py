"""What is a secret and what is none, and that nothing but secrets is touched. Secrets are put together here, so that no
file holds one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import ConfigError, InvalidInputError
from remem.redaction.redactor import KINDS, Redactor
from tests.guard import guard_hang

ALNUM = "a1B2c3D4e5F6g7H8i9J0" * 5
HEX = "0123456789abcdef" * 8
UPPER = "A2B3C4D5E6F7G2H3J4K5" * 5
LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"
PASS = "hunter" + "2XY"
REDACTOR = Redactor()

TOKENS = {
    "AKIA" + UPPER[:16]: "api_key",
    "AIza" + ALNUM[:35]: "api_key",
    "GOCSPX-" + ALNUM[:28]: "api_key",
    "ghp_" + ALNUM[:36]: "token",
    "ghp\\_" + ALNUM[:36]: "token",
    "github_pat_" + ALNUM[:60]: "token",
    "glpat-" + ALNUM[:20]: "token",
    "xoxb-123456789012-" + ALNUM[:24]: "token",
    "xapp-1-" + UPPER[:30]: "token",
    "sk_live_" + ALNUM[:24]: "api_key",
    "rk_test_" + ALNUM[:24]: "api_key",
    "whsec_" + ALNUM[:32]: "api_key",
    "sk-" + ALNUM[:48]: "api_key",
    "sk-proj-" + ALNUM[:60]: "api_key",
    "sk-ant-api03-" + ALNUM[:90]: "api_key",
    "SK" + HEX[:32]: "api_key",
    "SG." + ALNUM[:22] + "." + ALNUM[:43]: "api_key",
    "npm_" + ALNUM[:36]: "token",
    "pypi-AgEIcHlwaS5vcmc" + ALNUM[:80]: "token",
    "hf_" + ALNUM[:34]: "token",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + ALNUM[:43]: "jwt",
    "AGE-SECRET-KEY-1" + UPPER[:58]: "private_key",
}
PLACES = (
    "{}",
    "The key is {}.",
    "`{}`",
    "```\n{}\n```",
    "| name | {} |",
    "> {}",
    "- a: {}",
    '{{"key": "{}"}}',
    '<a data-key="{}">x</a>',
    "[{}](notes.md)",
    "[see](https://example.com/?k={})",
    "---\nkey: {}\n---\n",
    "**{}**",
    "({})",
)
ASSIGNED = (
    ("password={}", "password"),
    ("password = '{}'", "password"),
    ("passwd: {}", "password"),
    ("Password: {}", "password"),
    ("- **Password:** {}", "password"),
    ("**password**: `{}`", "password"),
    ("DB_PASSWORD={}", "password"),
    ("export PGPASSWORD={}", "password"),
    ("  password:\n    {}", "password"),
    ('"adminPassword": "{}",', "password"),
    ('\\"password\\": \\"{}\\"', "password"),
    ("| password | {} |", "password"),
    ("mysql --password {} -u root", "password"),
    ("mysql --password={} -u root", "password"),
    ("https://x.example/login?user=a&password={}&next=/", "password"),
    ("Server=db;User Id=sa;Password={};Encrypt=true", "password"),
    ("<password>{}</password>", "password"),
    ('<input type="password" name="p" value="{}">', "password"),
    ("secret = {}", "password"),
    ("client_secret: {}", "password"),
    ("api_key: {}", "api_key"),
    ('API-KEY = "{}"', "api_key"),
    ("secret_key={}", "api_key"),
    ("postgres://app:{}@db.example:5432/app", "connection_string"),
    ("mongodb+srv://app:{}@cluster.example/", "connection_string"),
    ("https://user:{}@git.example/repo.git", "password"),
    ("Authorization: Basic {}", "password"),
    ('curl -H "Authorization: Bearer {}"', "token"),
)
INNOCENT = (
    "password=",
    "password: ***",
    "password = <password>",
    "password=${DB_PASSWORD}",
    "password: $PASSWORD",
    "password: {{ vault_password }}",
    "password: changeme",
    "password: your-password",
    "password=None",
    "password: string",
    "Password: required",
    "Password: the thing you type to get in",
    "The password is kept in the vault.",
    "| password | The user's password |",
    "password = getpass.getpass()",
    "self.password = password",
    "password=os.environ['PW']",
    "password: !vault |",
    "password: (bool, optional): Hide typed text.",
    "private_key: CertificateIssuerPrivateKeyTypes,",
    "| `password` | `password=…`, `passwd: …` |",
    "password_file: /run/secrets/db",
    "max_tokens = 512",
    "tokens: 4096",
    "token: cl100k_base",
    "The secret: perseverance",
    "secret santa = fun",
    "api_key: YOUR_API_KEY",
    'curl -H "Authorization: Bearer your-key"',
    "https://example.com:8080/@name",
    "https://example.com/a:b@c",
    "mailto:someone@example.com",
    "git@github.com:owner/repo.git",
    "https://user@example.com/",
    "550e8400-e29b-41d4-a716-446655440000",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
    "The line -----BEGIN PRIVATE KEY----- begins it.",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
    "task-force, risk-averse, desk-bound and disk-based",
    "pk_live_" + ALNUM[:24],
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("secret", TOKENS)
def test_a_token_is_found_wherever_it_stands(secret: str, place: str) -> None:
    found = REDACTOR.redact(place.format(secret))
    assert secret not in found.text
    assert ALNUM[:16] not in found.text and HEX[:16] not in found.text and UPPER[:14] not in found.text
    assert len(found.secrets) == 1


@pytest.mark.parametrize(("secret", "kind"), TOKENS.items())
def test_a_token_is_replaced_by_its_kind_and_nothing_else_is(secret: str, kind: str) -> None:
    assert REDACTOR.redact(f"before {secret} after").text == f"before [redacted:{kind}] after"


@pytest.mark.parametrize(("text", "kind"), ASSIGNED)
def test_of_an_assignment_the_value_alone_is_replaced(text: str, kind: str) -> None:
    value = PASS + "9zQ7mK4p"
    assert REDACTOR.redact(text.format(value)).text == text.format(f"[redacted:{kind}]")


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_a_plain_word_is_a_password_where_it_is_given_as_one() -> None:
    for text in ("password: letmein", "password=letmein", 'password: "letmein"', "password: 12345678"):
        assert "letmein" not in REDACTOR.clean(text) and "1234" not in REDACTOR.clean(text)


def test_a_number_in_json_stays_json() -> None:
    assert REDACTOR.clean('{"password": 12345678}') == '{"password": "[redacted:password]"}'


def test_a_password_with_signs_of_addresses_in_it_goes_whole() -> None:
    assert REDACTOR.clean("amqp://u:p@ss@host/v") == "amqp://u:[redacted:connection_string]@host/v"
    assert REDACTOR.clean("redis://:s3cr/et@host:6379/0") == "redis://:[redacted:connection_string]@host:6379/0"


def test_the_secret_key_beside_an_access_key_goes_with_it() -> None:
    text = f"AKIA{UPPER[:16]},{ALNUM[:40]}"
    assert REDACTOR.clean(text) == "[redacted:api_key],[redacted:api_key]"


@pytest.mark.parametrize("name", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("prefix", ["", "    ", "> ", "\t"])
def test_a_private_key_is_one_secret_however_it_is_quoted(name: str, prefix: str) -> None:
    lines = [f"-----BEGIN {name}-----", LINE, LINE, "abcd", f"-----END {name}-----"]
    text = "above\n" + "\n".join(prefix + line for line in lines) + "\nbelow"
    found = REDACTOR.redact(text)
    assert found.text == f"above\n{prefix}[redacted:private_key]\nbelow"
    assert [secret[:2] for secret in found.secrets] == [("private_key", 2)]


def test_a_private_key_on_one_line_of_json_is_found() -> None:
    text = '{"private_key": "-----BEGIN PRIVATE KEY-----\\n' + LINE + '\\nabcd\\n-----END PRIVATE KEY-----\\n"}'
    assert REDACTOR.clean(text) == '{"private_key": "[redacted:private_key]\\n"}'


def test_a_private_key_that_is_cut_off_is_found_and_the_text_behind_it_stays() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{LINE}\n{LINE}\nThe rest of the page.\n"
    assert REDACTOR.clean(text) == "[redacted:private_key]\nThe rest of the page.\n"


def test_a_key_of_putty_is_found() -> None:
    text = f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{LINE}\n{LINE}\nPrivate-MAC: {HEX[:40]}\n"
    cleaned = REDACTOR.clean(text)
    assert LINE not in cleaned and HEX[:40] not in cleaned


def test_names_that_overlap_hide_none_of_them() -> None:
    for text in ("asiapi_key={}", "desk_api_key={}", "lin_api_key={}", "accesskey={}", "storage-secret={}"):
        assert REDACTOR.redact(text.format(PASS + "9zQ7mK4p")).secrets


def test_a_secret_hidden_by_entities_is_found() -> None:
    assert PASS not in REDACTOR.clean(f"&#112;assword={PASS}")
    assert REDACTOR.clean("a &amp; b &#112; c") == "a &amp; b &#112; c"


def test_brackets_around_a_secret_make_no_link_with_its_mark() -> None:
    token = "ghp_" + ALNUM[:36]
    assert REDACTOR.clean(f"[[{token}]] [{token}](a.md)") == "[redacted:token] [redacted:token](a.md)"


def test_lines_are_told_as_they_were() -> None:
    key = f"-----BEGIN PRIVATE KEY-----\n{LINE}\n-----END PRIVATE KEY-----"
    found = REDACTOR.redact(f"one\n{key}\nfive\npassword={PASS}\n")
    assert [secret.line for secret in found.secrets] == [2, 6]
    assert [found.find_line(line) for line in (1, 2, 3, 4)] == [1, 2, 5, 6]


def test_kinds_can_be_left_out() -> None:
    text = f"password={PASS} and ghp_{ALNUM[:36]}"
    assert Redactor(("token",)).clean(text) == f"password={PASS} and [redacted:token]"
    assert Redactor(()).clean(text) == text


# --- the user's own patterns ------------------------------------------------------------------------------------------


def test_a_pattern_of_ones_own_is_looked_for_too() -> None:
    own = Redactor(KINDS, ("ticket=TK-[0-9]{4}", "badge=badge (\\d+)"))
    assert own.clean("TK-1234, badge 77") == "[redacted:ticket], badge [redacted:badge]"


def test_a_pattern_does_not_match_marks() -> None:
    own = Redactor((), ("word=[a-z]+", "all=redacted"))
    once = own.clean("a b")
    assert once == "[redacted:word] [redacted:word]" and own.clean(once) == once


@pytest.mark.parametrize("pattern", ["x=(", "x=a*", "x=(?P<a"])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="patterns"):
        Redactor((), (pattern,))


def test_a_pattern_that_takes_too_long_is_given_up_and_the_text_refused() -> None:
    slow = Redactor((), ("slow=(a|a)+$",), seconds=0.1)
    with guard_hang("a slow pattern"), pytest.raises(InvalidInputError, match="too long"):
        slow.redact("a" * 60 + "b")


# --- what holds for every text ----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *TOKENS, "password", "=", ":", " ", "\n", '"', "'", "`", "|", "[", "]", "<", ">", "@", "://", "&#112;",
        "secret", "token", "api_key", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", LINE, PASS,
        "[redacted:token]",
        "[redacted:", "Authorization: Bearer ", "x", "é", "İ", "\ud800", "\\", ",", ";", "**", "--", "9",
    ]
)  # fmt: skip


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=24).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once.text) == (once.text, (), ())
    lines = text.count("\n") + 1
    assert all(1 <= secret.line <= lines for secret in once.secrets)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.text(alphabet="abc \n#*_[]()|`>-1İé🙂", max_size=200))
def test_text_without_secrets_is_the_very_same(text: str) -> None:
    assert REDACTOR.redact(text).text == text


@pytest.mark.parametrize(
    "unit",
    [
        "secret=", "password: ", "eyJ", "eyJhbGciOiJIUzI1.", "sk-", "://a:", "a:", "&#112;", "password='",
        "password=a,", "password=&", "|password|", "-----BEGIN PRIVATE KEY-----\n", "[", "authorization: ",
        "--password ", "🙂", "\\_", "password" + " " * 100,
    ],
)  # fmt: skip
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    with guard_hang(f"redacting {unit!r} again and again"):
        REDACTOR.redact("http://" + unit * (300_000 // len(unit)))
