"""The page about REST says what the code says."""

from __future__ import annotations

from docs import make_rest
from remem.faces.rest.routes import OPERATIONS
from remem.faces.wire import REPORTS

PAGE = make_rest.PAGE.read_text(encoding="utf-8")


def test_the_page_is_what_the_code_says_now() -> None:
    assert make_rest.make_page() == PAGE, "run python docs/make_rest.py"


def test_the_page_tells_every_operation_and_error() -> None:
    assert [o.path for o in OPERATIONS if f"### `{o.method} {o.path}`" not in PAGE] == []
    assert [code for code in REPORTS if f"| `{code}`" not in PAGE] == []
    assert [o.name for o in OPERATIONS if not o.about] == []
