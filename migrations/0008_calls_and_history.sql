-- What calls change in notes, and what the history needs for it.

-- Files whose documents a call changed: compile leaves such a document as it stands here (an absent one stays absent)
-- until the file's bytes have another hash than `hash`. `tree` (JSON) is what the file holds, and which of it a call has
-- forgotten; size, mtime, inode and `seen_at` are those of the file of an absent document.
CREATE TABLE held (
    root INTEGER NOT NULL,
    source TEXT NOT NULL,
    hash BLOB NOT NULL,
    tree TEXT,
    size INTEGER NOT NULL DEFAULT -1,
    mtime INTEGER NOT NULL DEFAULT 0,
    inode INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (root, source)
) STRICT, WITHOUT ROWID;

-- What a summary keeps of what it replaced: the label of its node, the links that it does not repeat (JSON). It counts
-- while the text of the node has that hash.
CREATE TABLE summaries (
    node INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    label TEXT,
    links TEXT NOT NULL
) STRICT;

-- Discovered edges that a call removed stay away while both texts are as they were (hashes of what they say).
ALTER TABLE discovery_refusals ADD COLUMN source_text BLOB;
ALTER TABLE discovery_refusals ADD COLUMN target_text BLOB;

-- What a document was before a snapshot that changed it: where it stood, and what of its text no node holds, so that it
-- can be made again. `nodes` is compressed (versioning/layouts.py), NULL where it was purged.
CREATE TABLE layouts (
    document INTEGER NOT NULL,
    snapshot INTEGER NOT NULL,
    root TEXT NOT NULL,
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    hash BLOB NOT NULL,
    settings TEXT NOT NULL,
    nodes BLOB,
    PRIMARY KEY (document, snapshot)
) STRICT, WITHOUT ROWID;

-- What stood beside nodes that are gone, so that they can come back: the fields of memories, the types of entities, the
-- places of roots.
CREATE TABLE former_memories (
    node INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    importance REAL NOT NULL,
    source TEXT NOT NULL,
    metadata TEXT NOT NULL,
    tags TEXT NOT NULL,
    hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    ttl INTEGER
) STRICT;
CREATE TRIGGER memory_gone AFTER DELETE ON memories
BEGIN
    INSERT INTO former_memories (node, type, importance, source, metadata, tags, hash, created_at, ttl)
    VALUES (OLD.node, OLD.type, OLD.importance, OLD.source, OLD.metadata, OLD.tags, OLD.hash, OLD.created_at, OLD.ttl)
    ON CONFLICT (node) DO UPDATE
    SET type = excluded.type, importance = excluded.importance, source = excluded.source, metadata = excluded.metadata,
        tags = excluded.tags, hash = excluded.hash, created_at = excluded.created_at, ttl = excluded.ttl;
END;
CREATE TABLE former_entities (
    node INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    type TEXT NOT NULL
) STRICT;
CREATE TRIGGER entity_gone AFTER DELETE ON entities
BEGIN
    INSERT INTO former_entities (node, key, type)
    VALUES (OLD.node, OLD.key, OLD.type)
    ON CONFLICT (node) DO UPDATE
    SET key = excluded.key, type = excluded.type;
END;
CREATE TABLE former_roots (
    name TEXT PRIMARY KEY,
    path TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER root_gone AFTER DELETE ON roots
BEGIN
    INSERT INTO former_roots (name, path)
    VALUES (OLD.name, OLD.path)
    ON CONFLICT (name) DO UPDATE
    SET path = excluded.path;
END;
-- Of what was before, no layouts are known.
INSERT INTO meta (key, value)
SELECT 'layouts_since', CAST(max(id) AS TEXT)
FROM snapshots
HAVING max(id) > 0;

-- Kinds of background work (engine/tasks.py) that were paused or run by a call. `outcome` is what came of the last run.
CREATE TABLE tasks (
    name TEXT PRIMARY KEY,
    paused INTEGER NOT NULL DEFAULT 0,
    ran_at INTEGER,
    outcome TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Fields of a memory, and what files and roots are called, are told with nodes but stand beside them.
CREATE TRIGGER graph_memory_changed AFTER UPDATE ON memories
BEGIN
    INSERT INTO graph_changes (source) VALUES (NEW.node);
END;
CREATE TRIGGER graph_document_moved AFTER UPDATE OF root, source ON documents
WHEN (OLD.root, OLD.source) <> (NEW.root, NEW.source)
BEGIN
    INSERT INTO graph_changes (source) VALUES (NEW.node);
END;
CREATE TRIGGER graph_root_renamed AFTER UPDATE OF name ON roots
WHEN OLD.name <> NEW.name
BEGIN
    INSERT INTO graph_changes (source) SELECT node FROM documents WHERE root = NEW.key LIMIT 1;
END;

-- Where nodes were put in the picture of the graph, so that it looks the same at the next visit.
CREATE TABLE positions (
    node INTEGER PRIMARY KEY,
    x REAL NOT NULL,
    y REAL NOT NULL
) STRICT;

-- Names without an index over whole rows, which held the table twice.
DROP INDEX names_by_node;
ALTER TABLE names RENAME TO former_names;
CREATE TABLE names (
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    node INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
INSERT INTO names (key, kind, node, text)
SELECT key, kind, node, text
FROM former_names;
DROP TABLE former_names;
CREATE INDEX names_by_key ON names (key);
CREATE INDEX names_by_node ON names (node);

-- The same for the names that texts are searched for.
DROP INDEX mention_names_by_key;
DROP INDEX mention_names_by_head;
ALTER TABLE mention_names RENAME TO former_mention_names;
CREATE TABLE mention_names (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    head TEXT NOT NULL,
    texts INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO mention_names (key, name, name_key, head, texts)
SELECT key, name, name_key, head, texts
FROM former_mention_names;
DROP TABLE former_mention_names;
CREATE INDEX mention_names_by_key ON mention_names (name_key);
CREATE INDEX mention_names_by_head ON mention_names (head);
