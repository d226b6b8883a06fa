"""Writes configuration.md: where settings come from, and every setting as the code declares it.

python docs/make_config.py            writes the page
python docs/make_config.py --check    says whether the page is stale (exit status 1)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

TOP = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(TOP))

from docs.pages import escape_cell, run
from remem.config import SHORT_VARIABLES, list_settings, name_variable
from remem.settings import FileOnly

PAGE = TOP / "docs" / "configuration.md"
SHORT = {dotted: name for name, dotted in SHORT_VARIABLES.items()}
INTRODUCTION = """# Configuration

Nothing has to be configured. What is set comes, each before the next, from an argument or option of the command line, a
variable of the environment, the file, the default.

- **The file** is named by `--config`, else by `$REMEM_CONFIG`, else it is `remem-server.toml` in the working directory,
  where there is one; the same for every command. `remem init` writes it with all settings, their defaults and comments.
- **Variables** are called `REMEM_SECTION__NAME`; `REMEM_DB` and `REMEM_API_KEY` are short names for two of them, and go
  before the long ones. A list is written as JSON: `REMEM_COMPILE__ROOTS='["notes"]'`. An empty one counts as not set.
- **Names are checked.** An unknown section, setting or variable is refused by name, with the one that may be meant, and
  so is a value of the wrong type or out of range: exit status 2, nothing done. Messages never repeat a value.
- The `auto_discovery_*` settings come from the file or an argument only. Such a variable is refused, since it would
  change how one process links what others share.

A server that can be reached from other machines needs a key:

```
$ export REMEM_API_KEY="$(openssl rand -hex 32)"
$ remem serve --host 0.0.0.0
```

To change a key without an interruption, give the new one as `second_api_key`, move the clients over, then make it
`api_key`. Below, every setting; this page is made by `python docs/make_config.py`, and a test fails when it is stale.
"""


def make_page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *list_sections()])


def list_sections() -> Iterator[str]:
    """A heading and a table for each section."""
    section = ""
    for dotted, setting in list_settings().items():
        name = dotted.partition(".")[0]
        if name != section:
            yield f"\n## [{name}]\n" if section else f"## [{name}]\n"
            yield "| setting | default | values | |\n| --- | --- | --- | --- |"
            section = name
        yield show_setting(dotted, setting)
    yield ""


def show_setting(dotted: str, setting: FieldInfo) -> str:
    """A row: the name with its variable, the default, what it may be, what it is for."""
    _, _, name = dotted.partition(".")
    only = any(isinstance(mark, FileOnly) for mark in setting.metadata)
    variable = "not from the environment" if only else f"`{SHORT.get(dotted, name_variable(dotted))}`"
    default = json.dumps(show_default(setting), ensure_ascii=False)
    about = escape_cell(setting.description or "")
    return f"| `{name}`<br>{variable} | `{default}` | {escape_cell(show_values(setting))} | {about} |"


def show_default(setting: FieldInfo) -> Any:
    """The default as TOML and JSON have it."""
    default = setting.get_default(call_default_factory=True, validated_data={})
    return list(default) if isinstance(default, tuple) else default


def show_values(setting: FieldInfo) -> str:
    """The type, and the bounds where there are any."""
    bounds = {
        mark: getattr(data, mark) for data in setting.metadata for mark in ("ge", "gt", "le") if hasattr(data, mark)
    }
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le")
    kind = name_type(setting.annotation)
    if least is None and most is None:
        return kind
    above = f"more than {least:,}" if "gt" in bounds else f"{least:,}"
    return f"{kind}, {above} to {most:,}".replace(",", " ").replace("  ", ", ")


def name_type(annotation: Any) -> str:
    """A type in words."""
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if annotation in names:
        return names[annotation]
    if get_origin(annotation) is Literal:
        return ", ".join(f'"{choice}"' for choice in get_args(annotation))
    if get_origin(annotation) is tuple:
        return "list"
    return " or ".join(name_type(part) for part in get_args(annotation))


if __name__ == "__main__":
    sys.exit(run(PAGE, make_page, sys.argv[1:]))
