"""A process that changes a store until it is killed. On stdout, a JSON line each: `ready`, `prepare`, before
a call `begin` with what it is about to do, after it `done` with the imprint of the store (of a refused call too:
it must not have changed).

`python -m tests.campaigns.actor STORE VAULT NAME SEED AIM DEEDS...`: the deed AIM comes third, the others by chance.
The settings are those beside the store.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random

from remem import Remem
from remem.errors import RememError, StoreError
from tests.campaigns.deeds import DEEDS, Stage
from tests.campaigns.imprint import take_imprint
from tests.campaigns.killing import SETTINGS

BEFORE_AIM = 2


def tell(**line: object) -> None:
    """Writes a line that is read even if this process dies at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def act(stage: Stage, path: Path, name: str) -> None:
    """Does one thing, and tells before and after."""
    tell(say="prepare", deed=name)
    chosen = DEEDS[name](stage)
    tell(say="begin", deed=name, imprint=take_imprint(path), intent=chosen[0] if chosen else {})
    if chosen is None:
        return
    before, refused, began = take_imprint(path), "", time.monotonic()
    try:
        chosen[1]()
    except StoreError:
        raise
    except RememError as error:
        refused = error.code
        assert take_imprint(path) == before, f"{name} was refused but changed the store"
    took = time.monotonic() - began
    tell(say="done", deed=name, imprint=take_imprint(path), refused=refused, took=took)


def main() -> None:
    """Acts until the end of the process."""
    path, vault, name, seed, aim, *deeds = sys.argv[1:]
    chance = Random(int(seed))
    tell(say="start")
    with Remem.open_sync(path, config=Path(path).with_name(SETTINGS)) as remem:
        remem.compile(vault)  # what has been loaded once takes the time that it takes
        stage = Stage(remem, Path(vault), chance, name)
        tell(say="ready", imprint=take_imprint(path))
        number = 0
        while True:
            act(stage, Path(path), aim if number == BEFORE_AIM else chance.choice(deeds))
            number += 1


if __name__ == "__main__":
    main()
