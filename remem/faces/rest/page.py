"""The description of the service as one page to read: plain HTML without scripts, which needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape

from remem import __version__
from remem.faces.rest.operations import BASE, Answer, Operation
from remem.faces.rest.tables import Row, list_parameters

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem}
code,h3{font-family:ui-monospace,monospace}
h3{font-size:1rem;margin:2rem 0 .25rem;overflow-wrap:anywhere}
h3 b{display:inline-block;min-width:4.5em}
p{margin:.25rem 0}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.9rem}
td,th{text-align:left;vertical-align:top;padding:.2rem .75rem .2rem 0;border-top:1px solid #8884}
nav a{margin-right:.75rem}
@media(max-width:40rem){table{display:block;overflow-x:auto}}
"""
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def make_page(operations: Iterable[Operation]) -> Answer:
    """The page as an answer, under a policy that lets nothing else in."""
    families: dict[str, list[Operation]] = {}
    for operation in operations:
        families.setdefault(operation.segments[0], []).append(operation)
    links = " ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in families)
    parts = [f'<h2 id="{escape(name)}">{escape(name)}</h2>{"".join(map(_show, own))}' for name, own in families.items()]
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Remem: the service</title><style>{STYLE}</style></head><body><h1>Remem {escape(__version__)}</h1>"
        f"<p>All addresses begin with <code>{escape(BASE)}</code>. Send the key, where one is set, as"
        " <code>Authorization: Bearer KEY</code> or <code>X-API-Key: KEY</code>. Errors are"
        " <code>application/problem+json</code> with a stable <code>code</code>. The same for programs:"
        f' <a href="{escape(BASE)}/openapi.json">openapi.json</a>.</p><nav>{links}</nav>{"".join(parts)}</body></html>'
    )
    headers = ((b"content-security-policy", POLICY.encode()), (b"x-frame-options", b"DENY"))
    return Answer(body.encode(), content_type=b"text/html; charset=utf-8", headers=headers)


def _show(operation: Operation) -> str:
    rows = list_parameters(operation)
    told = f"<h3><b>{operation.method}</b> {escape(operation.path)}</h3><p>{_tell(operation.about)}</p>"
    answers = f"<p>Answers {operation.status}"
    answers += f" or {', '.join(map(str, operation.errors))}." if operation.errors else "."
    return told + answers + (" No key is needed." if operation.open else "") + "</p>" + _show_rows(rows)


def _tell(text: str) -> str:
    """A text, with what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def _show_rows(rows: Iterable[Row]) -> str:
    lines = "".join("<tr>" + "".join(f"<td>{_tell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    head = "<tr><th>name</th><th>in</th><th>value</th><th>default</th><th></th></tr>"
    return f"<table>{head}{lines}</table>" if lines else ""
