"""The reference: texts with the token ids and the float32 vectors of all-MiniLM-L6-v2 by its own implementation."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

PATH = Path(__file__).resolve().parent / "data" / "golden.jsonl"


class Golden(NamedTuple):
    """One text, its ids, its unit vector."""

    text: str
    ids: list[int]
    vector: npt.NDArray[np.float32]


@cache
def read_golden() -> list[Golden]:
    """All of them. The file has the vectors as 16-bit whole numbers of hundred-thousandths."""
    return [read_line(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def read_line(line: str) -> Golden:
    """One line of the file."""
    told = json.loads(line)
    vector = np.frombuffer(base64.b64decode(told["vector"]), dtype="<i2").astype(np.float32)
    return Golden(told["text"], told["ids"], vector / np.linalg.norm(vector))
