"""The page about MCP says what the code says."""

from __future__ import annotations

from docs import make_mcp
from remem.errors import RequestError
from remem.faces.cli.clients import CLIENTS
from remem.faces.mcp.families import FAMILIES
from remem.faces.wire import REPORTS

PAGE = make_mcp.PAGE.read_text(encoding="utf-8")


def test_the_page_is_what_the_code_says_now() -> None:
    assert make_mcp.make_page() == PAGE, "run python docs/make_mcp.py"


def test_the_page_tells_every_tool_client_and_error() -> None:
    assert [tool.name for tool in FAMILIES["all"] if f"| `{tool.name}(" not in PAGE] == []
    assert [name for name in CLIENTS if f"**{name}**" not in PAGE] == []
    requests = {RequestError.code, *(error.code for error in RequestError.__subclasses__())}  # never reach a tool
    codes = {"store" if code.startswith("store") else code for code in REPORTS} - {"config"} - requests
    assert [code for code in codes if f"| `{code}`" not in PAGE] == []
