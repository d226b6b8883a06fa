"""The commands `init` and `completion`: what one does once."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remem.faces.cli.commands import command
from remem.faces.cli.output import print_lines, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.engine import Remem

COMPLETION_VARIABLE = "_REMEM_COMPLETE"
PATH_SETTING = re.compile(r'^path = ".*"$', re.M)
THRESHOLD_SETTING = re.compile(r"^auto_discovery_threshold = .*$", re.M)


@command(
    "init",
    """
    $ remem init
    wrote remem-server.toml
    made the store memory.db
    """,
)
@pass_session
def init_command(session: Session) -> None:
    """Write a commented remem-server.toml and an empty store.

    What is there already stays as it is. With --db, the file names that store; with
    --config, it is written there. Where variables name another embedder than the built-in
    one, the file has the auto_discovery_threshold that fits it.
    """
    from remem.config import find_config
    from remem.datafiles import SETTINGS_FILE

    file = find_config(Path(session.config) if session.config else None, os.environ) or Path(SETTINGS_FILE)
    is_new = write_config(file, session.db)
    try:
        path = session.find_store()
        existed = os.path.exists(path)
        session.run(_open_store, create=True)
    except BaseException:
        if is_new:
            file.unlink(missing_ok=True)
        raise
    say(f"wrote {file}" if is_new else f"{file} is there already and stays as it is")
    say(f"the store {path} is there already and stays as it is" if existed else f"made the store {path}")


async def _open_store(remem: Remem) -> None:
    await remem.roots()


def write_config(file: Path, db: str | None) -> bool:
    """Writes the default settings with `db` as the store's path, and the threshold of discovery that fits the
    embedder that the environment names; False where the file exists. Raises OSError, ConfigError."""
    from remem.config import default_toml

    if file.exists():
        return False
    text = default_toml()
    threshold = find_fitting_threshold()
    if threshold is not None:
        text = THRESHOLD_SETTING.sub(f"auto_discovery_threshold = {threshold!r}", text, count=1)
    if db is not None:
        setting = f"path = {json.dumps(db, ensure_ascii=False)}"
        text = PATH_SETTING.sub(lambda _: setting, text, count=1)
    data = text.encode("utf-8", "replace")
    try:
        with open(file, "xb") as target:
            target.write(data)
    except FileExistsError:
        return False
    return True


def find_fitting_threshold() -> float | None:
    """The similarity from which texts are linked that fits the embedder of the environment; None where there is no
    embedder. Raises ConfigError."""
    from remem.config import resolve_settings
    from remem.embedding.choose import find_threshold

    settings = resolve_settings(None, os.environ, {})
    return find_threshold(settings.embedding.make_options())


@command(
    "completion",
    """
    $ remem completion bash
    _remem_completion() {
    …
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the script that makes a shell complete commands and options.

    bash: eval "$(remem completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc; fish: write it to
    ~/.config/fish/completions/remem.fish.
    """
    from click.shell_completion import get_completion_class

    from remem.faces.cli.app import cli

    completion = get_completion_class(shell)
    if completion is not None:
        print_lines([completion(cli, {}, "remem", COMPLETION_VARIABLE).source()])
