"""Rows that ties between texts follow from: memories in the order of their sources, the rare names that texts use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_CONSECUTIVE = """
SELECT node, dense_rank() OVER (ORDER BY source)
FROM memories
WHERE archived_at IS NULL
  AND source <> ''
ORDER BY source, created_at, node
"""
SELECT_RARE_NAMES = """
SELECT f.phrase, p.section, f.single
FROM (SELECT phrase FROM phrases GROUP BY phrase HAVING count(*) BETWEEN 2 AND :most) AS k
CROSS JOIN phrases AS f ON f.phrase = k.phrase
CROSS JOIN passages AS p ON p.key = f.passage
"""


def load_consecutive(connection: Connection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The living memories that have a source, in the order of sources and of time, and a number for each source."""
    rows = connection.execute(SELECT_CONSECUTIVE).fetchall()
    table = np.array(rows, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def load_rare_names(connection: Connection, most: int) -> tuple[NDArray[np.int64], ...]:
    """(name, memory or section, whether it is one word) of the names that 2 to `most` passages use."""
    rows = connection.execute(SELECT_RARE_NAMES, {"most": most}).fetchall()
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
