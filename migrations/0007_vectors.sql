-- Vectors, the work owed on them, and what was discovered by them.

-- The vectors of what is embedded: a row for each chunk of a passage, under the key of its vector in `node_vectors`.
-- `passage` NULL: its text is gone; the vector is taken over by other text or deleted. `hash` is that of the embedded
-- text, `changed` grows with each change of a row, so that what holds the vectors in memory can follow.
CREATE TABLE vectors (
    key INTEGER PRIMARY KEY,
    passage INTEGER,
    chunk INTEGER NOT NULL,
    hash BLOB NOT NULL,
    changed INTEGER NOT NULL
) STRICT;
CREATE INDEX vectors_by_passage ON vectors (passage, chunk);
CREATE INDEX vectors_by_hash ON vectors (hash);
CREATE INDEX vectors_by_change ON vectors (changed);

-- Made when the embedder is first fixed, as wide as its vectors (storage/vectors.py); `embedder` in `meta` says which.
-- CREATE VIRTUAL TABLE node_vectors USING vec0 (key INTEGER PRIMARY KEY, vector FLOAT[384]);

-- Capitalised phrases that passages use (their 64-bit hashes): texts that share a rare one are weakly related.
CREATE TABLE phrases (
    phrase INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    single INTEGER NOT NULL,
    PRIMARY KEY (phrase, passage)
) STRICT, WITHOUT ROWID;
CREATE INDEX phrases_by_passage ON phrases (passage);

-- Work owed: `embed`, the key of a document; `discover`, the key of a memory or section. `stamp` grows when it is owed
-- again, `due_at` is when it may be tried after it failed.
CREATE TABLE jobs (
    kind TEXT NOT NULL,
    node INTEGER NOT NULL,
    stamp INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, node)
) STRICT, WITHOUT ROWID;

-- Which process does the work owed, and until when unless it says again that it lives.
CREATE TABLE claims (
    work TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Discovered edges that a call removed: they stay away until one of the two texts changes.
CREATE TABLE discovery_refusals (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX discovery_refusals_by_target ON discovery_refusals (target);

-- Whoever writes a memory's text owes its vector in the same transaction.
CREATE TRIGGER passage_made AFTER INSERT ON passages
WHEN (SELECT kind FROM nodes WHERE key = NEW.document) = 'memory'
BEGIN
    INSERT INTO jobs (kind, node) VALUES ('embed', NEW.document)
    ON CONFLICT (kind, node) DO UPDATE SET stamp = stamp + 1, attempts = 0, due_at = 0;
END;
CREATE TRIGGER passage_gone AFTER DELETE ON passages
BEGIN
    UPDATE vectors SET passage = NULL WHERE passage = OLD.key;
    DELETE FROM phrases WHERE passage = OLD.key;
END;

-- What is stored already owes its vectors.
INSERT INTO jobs (kind, node)
SELECT 'embed', key
FROM nodes
WHERE kind = 'memory';
