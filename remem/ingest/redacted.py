"""Files without secrets: their texts are parsed without them, and paths that hold one are left out. Each is told of,
never what it said."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.html.marks import FORMAT
from remem.ingest.parse import parse_source
from remem.ingest.render import render_parsed
from remem.records import Diagnostic, ParsedDocument, Scan
from remem.redaction.marks import make_mark
from remem.redaction.redactor import Redacted, Redactor, Secret

CODE = "redacted"
NAME_CODE = "secret-name"


def parse_redacted(
    redactor: Redactor | None,
    source: str,
    text: str,
    format: str,
    *,
    max_tokens: int = 512,
    previous: Sequence[Sequence[str]] = (),
) -> ParsedDocument:
    """What `parse_source` makes of the text without its secrets, with a diagnostic for each. None redacts nothing.

    Raises InvalidInputError where a pattern of the user's own takes too long, and as `parse_source`.
    """
    if redactor is None:
        return parse_source(source, text, format, max_tokens=max_tokens, previous=previous)
    done = redactor.redact(text)
    parsed = parse_source(source, done.text, format, max_tokens=max_tokens, previous=previous)
    secrets = done.secrets
    if parsed.format == FORMAT and format != FORMAT:  # what elements kept apart may stand together on the page
        page = redactor.redact(render_parsed(parsed))
        if page.secrets:
            secrets += _place_secrets(page.secrets, parsed, done)
            parsed = parse_source(source, page.text, FORMAT, max_tokens=max_tokens, previous=previous)
    if not secrets:
        return parsed
    return replace(parsed, diagnostics=(*tell_secrets(source, secrets), *_shift_lines(parsed, done)))


def tell_secrets(source: str, secrets: Sequence[Secret]) -> tuple[Diagnostic, ...]:
    """A diagnostic for each secret: its kind and line."""
    return tuple(
        Diagnostic(source, line, CODE, f"a secret ({kind}) was left out; {make_mark(kind)} stands in its place")
        for kind, line in secrets
    )


def _place_secrets(secrets: Sequence[Secret], parsed: ParsedDocument, done: Redacted) -> tuple[Secret, ...]:
    """Secrets of a page's text with the lines of the file on which the blocks that hold them begin."""
    starts: list[int] = []
    line = 1
    for node in parsed.nodes:
        line += node.gap.count("\n")
        starts.append(line)
        line += node.content.count("\n")
    holders = [parsed.nodes[bisect_right(starts, secret.line) - 1] for secret in secrets]
    return tuple(
        Secret(secret.kind, done.find_line(max(node.line, 1))) for secret, node in zip(secrets, holders, strict=True)
    )


def _shift_lines(parsed: ParsedDocument, done: Redacted) -> tuple[Diagnostic, ...]:
    """The problems of the text with the lines that they have in the file."""
    if not done.removed:
        return parsed.diagnostics
    return tuple(replace(problem, line=done.find_line(problem.line)) for problem in parsed.diagnostics)


def hide_names(redactor: Redactor | None, scan: Scan) -> Scan:
    """The scan without files whose path holds a secret: a path is no text that could be redacted. Each is told."""
    if redactor is None:
        return scan
    sources = [file.source for file in scan.files]
    told = [problem.source for problem in scan.diagnostics]
    if not redactor.redact("\n".join([*sources, *told])).secrets:
        return scan
    names = {source: redactor.clean(source) for source in sources}
    problems = [replace(problem, source=redactor.clean(problem.source)) for problem in scan.diagnostics]
    message = "the path holds a secret, so the file is left out; rename it"
    problems += [Diagnostic(cleaned, 0, NAME_CODE, message) for source, cleaned in names.items() if source != cleaned]
    files = tuple(file for file in scan.files if names[file.source] == file.source)
    return replace(scan, files=files, diagnostics=tuple(problems))
