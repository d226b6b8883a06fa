"""What all commands share: a command with a pasted example, the option `--json`, and values that are lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from textwrap import dedent, indent
from typing import Any, TypeVar, cast

import click

from remem.checks import rename_fields
from remem.errors import RememError
from remem.limits import MIN_BUDGET

Function = TypeVar("Function", bound=Callable[..., object])


class ExampleCommand(click.Command):
    """A command whose help is one sentence, an example pasted from a terminal, and the options. Errors of the engine
    call its fields as the command line does; `names` are those that it calls otherwise than the engine."""

    def __init__(self, *args: Any, example: str = "", names: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = dedent(example).strip("\n")
        self.names = {**{str(each.name): name_parameter(each) for each in self.params}, **(names or {})}

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except RememError as error:
            raise rename_fields(error, self.names) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sentence, what follows it, and the example as it stands."""
        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        formatter.write("Example:\n\n" + indent(self.example, "  ") + "\n")


def name_parameter(parameter: click.Parameter) -> str:
    """What the command line calls a parameter: `--depth`, `TEXT`."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.metavar or str(parameter.name).upper()


def command(name: str, example: str, **names: str) -> Callable[[Callable[..., Any]], ExampleCommand]:
    """Makes a function the command of that name. `names` are fields of the engine that no parameter is called by, with
    what the command line calls them."""
    return click.command(name, cls=ExampleCommand, example=example, names=names)


def json_option(function: Function) -> Function:
    """Adds `--json`, which gives the function `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, as documented in docs/cli.md.")(function)


def wait_option(function: Function) -> Function:
    """Adds `--no-wait`, which gives the function `no_wait`."""
    text = "Leave vectors and discovered relations to whoever has the store open next."
    return click.option("--no-wait", is_flag=True, help=text)(function)


def page_options(function: Function) -> Function:
    """Adds `--budget` and `--cursor`, which give the function a `PageRequest` as `page`."""

    @wraps(function)
    def hand_over(*args: Any, budget: int | None, cursor: str | None, **given: Any) -> object:
        from remem.records import PageRequest

        return function(*args, page=PageRequest(budget, cursor), **given)

    text = "Print plain text of at most so many tokens, as models get it."
    more = click.option("--cursor", help="Go on where the page ended that gave this cursor.")(hand_over)
    return cast(Function, click.option("--budget", type=click.IntRange(MIN_BUDGET), help=text)(more))


class NameList(click.ParamType):  # type: ignore[type-arg]
    """Names, given once with commas or several times. Unknown ones are the engine's to refuse."""

    name = "names"

    def __init__(self, choices: Callable[[], Sequence[str]]) -> None:
        self._choices = choices

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The names between the commas."""
        if isinstance(value, tuple):
            return value
        return tuple(part.strip() for part in str(value).split(","))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """The names that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self._choices() if name.startswith(incomplete)]


def join_names(given: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """All names of an option that may be given several times; None where it was not given."""
    return tuple(name for names in given for name in names) or None


def list_types() -> Sequence[str]:
    """The relationship types."""
    from remem.records import RELATIONSHIP_TYPES

    return RELATIONSHIP_TYPES


def list_origins() -> Sequence[str]:
    """The origins of edges."""
    from remem.records import ORIGINS

    return ORIGINS


def list_kinds() -> Sequence[str]:
    """The kinds of nodes."""
    from remem.records import KINDS

    return KINDS
