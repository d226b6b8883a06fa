-- How much nodes are used, and when they were first seen.

-- How much nodes are used (usage/temperature.py). Only nodes that were used or pinned have a row, and keep it when they
-- are removed: a node that comes back is still pinned. `temperature` is that of the instant `at`; it cools from there.
CREATE TABLE usage (
    node INTEGER PRIMARY KEY,
    temperature REAL NOT NULL,
    at INTEGER NOT NULL,
    accesses INTEGER NOT NULL DEFAULT 0,
    accessed_at INTEGER,
    pinned INTEGER NOT NULL DEFAULT 0
) STRICT;

-- When nodes were first seen: those with keys up to `last`, and above that of the row before, at the instant `at`.
-- Keys only grow, so one row for each snapshot that adds nodes will do; the trigger keeps them whoever writes.
CREATE TABLE arrivals (
    last INTEGER PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER arrivals_of_snapshot AFTER INSERT ON snapshots
BEGIN
    INSERT INTO arrivals (last, at)
    SELECT k.last, NEW.created_at
    FROM (SELECT max((SELECT coalesce(max(key), 0) FROM nodes), (SELECT coalesce(max(key), 0) FROM removed)) AS last) AS k
    WHERE k.last > coalesce((SELECT max(last) FROM arrivals), -1);
END;
CREATE TRIGGER arrivals_of_slice AFTER UPDATE OF state_hash ON snapshots
BEGIN
    INSERT INTO arrivals (last, at)
    SELECT k.last, NEW.created_at
    FROM (SELECT max((SELECT coalesce(max(key), 0) FROM nodes), (SELECT coalesce(max(key), 0) FROM removed)) AS last) AS k
    WHERE k.last > coalesce((SELECT max(last) FROM arrivals), -1);
END;
INSERT OR IGNORE INTO arrivals (last, at)
SELECT max(c.last) OVER (ORDER BY c.snapshot), s.created_at
FROM (
    SELECT snapshot, max(node) AS last
    FROM changes
    GROUP BY snapshot
) AS c
JOIN snapshots AS s ON s.id = c.snapshot
ORDER BY c.snapshot;
