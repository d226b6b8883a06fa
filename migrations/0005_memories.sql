-- Memories and entities: what is kept beside their nodes.

-- Facts that no file owns. `node` is the key of the memory's node, which stands in `nodes` while the memory lives and in
-- `removed` while it is archived; both come back under it. `type` is long_term or short_term, `metadata` a JSON object,
-- `tags` a JSON array of those that a call gave (the node has those of its text too), `hash` is that of the content as it
-- was given. `ttl` (milliseconds) and `expires_at` are NULL for long-term ones. `archived_by` is call or expiry: what has
-- merely expired counts as living for the state hash and in the history.
CREATE TABLE memories (
    node INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    importance REAL NOT NULL,
    source TEXT NOT NULL,
    metadata TEXT NOT NULL,
    tags TEXT NOT NULL,
    hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl INTEGER,
    expires_at INTEGER,
    archived_at INTEGER,
    archived_by TEXT
) STRICT;
CREATE INDEX memories_by_hash ON memories (hash);
CREATE INDEX memories_by_creation ON memories (created_at, node) WHERE archived_at IS NULL;
CREATE INDEX memories_by_source ON memories (source, created_at, node) WHERE source <> '';
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL AND archived_at IS NULL;
CREATE INDEX memories_by_archiving ON memories (archived_at) WHERE archived_at IS NOT NULL;

-- Named things that memories mention: one node for each name (by its key, keys.py) and type ('' where none was given).
CREATE TABLE entities (
    node INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    type TEXT NOT NULL,
    UNIQUE (key, type)
) STRICT;

CREATE INDEX relations_by_id ON relations (id) WHERE id <> '';
