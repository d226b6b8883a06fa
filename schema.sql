-- Remem: the whole current schema. A new store is made from this file; migrations/ bring older files to the same.
-- Weights are integers in millionths, times are milliseconds since 1970 in UTC.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A folder of notes: its name, and where it lies now.
CREATE TABLE roots (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    compiled_at INTEGER NOT NULL
) STRICT;

-- Every unit of knowledge. `position` numbers a document's nodes in pre-order from 0; the subtree of a node is
-- [position, last] of its document. A memory or an entity is a document of its own.
-- `gap` is what stands in the file before the node (NULL: one blank line), `prefix` the container prefixes of its
-- second and later lines (NULL: none; a JSON array otherwise). `label` is NULL where it follows from the content.
CREATE TABLE nodes (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    document INTEGER NOT NULL,
    parent INTEGER,
    position INTEGER NOT NULL,
    last INTEGER NOT NULL,
    station INTEGER NOT NULL,
    piece INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL,
    label TEXT,
    content TEXT NOT NULL,
    gap TEXT,
    prefix TEXT
) STRICT;
CREATE INDEX nodes_by_document ON nodes (document, position);

-- The document nodes of compiled files. `tail` is what stands after the last node. `title_heading` is the node that
-- links to the document lead to. `size`, `mtime`, `inode` and `seen_at` decide whether the file is read again.
CREATE TABLE documents (
    node INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES roots (key),
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    title_heading INTEGER,
    tail TEXT NOT NULL,
    hash BLOB NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    settings TEXT NOT NULL,
    UNIQUE (root, source)
) STRICT;

CREATE TABLE diagnostics (
    document INTEGER NOT NULL,
    line INTEGER NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX diagnostics_by_document ON diagnostics (document);

-- What links can call a node. `kind` is one of stem, title, alias, folder, heading, block, memory, entity, and for
-- what a node was called earlier: old_label, old_stem, old_source. `key` is the name key of the text (keys.py).
-- Rows of earlier names outlive their node: a node that comes back is still known by them. No two rows are alike
-- (storage/names.py): an index over whole rows would double the table.
CREATE TABLE names (
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    node INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX names_by_key ON names (key);
CREATE INDEX names_by_node ON names (node);

CREATE TABLE tags (
    node INTEGER NOT NULL,
    key TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (node, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_key ON tags (key);

-- Every link as written. The parsed edges and the pending edges of texts follow from these rows.
-- `state`: edge (resolved), inner (resolved to the node itself or to what it lies in: no edge), pending (nothing found),
-- partial (the document was found, its heading was not: edge to the document, heading pending),
-- missing (the heading was not found in the link's own document: pending, no edge).
-- `rule` is the rule of resolution that decided.
CREATE TABLE links (
    key INTEGER PRIMARY KEY,
    node INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    form TEXT NOT NULL,
    label TEXT NOT NULL,
    anchor TEXT NOT NULL,
    shown TEXT NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    type INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    name_key TEXT NOT NULL,
    source_key TEXT,
    state TEXT NOT NULL,
    target INTEGER,
    rule TEXT,
    ambiguous INTEGER NOT NULL DEFAULT 0,
    stale INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX links_by_node ON links (node);
CREATE INDEX links_by_name ON links (name_key);
CREATE INDEX links_by_source ON links (source_key) WHERE source_key IS NOT NULL;
CREATE INDEX links_by_id ON links (id) WHERE id <> '';
CREATE INDEX links_by_target ON links (target) WHERE target IS NOT NULL;

-- Manual edges as they were asked for. The manual edges follow from the rows whose two ends live; the others wait.
-- `source` is the key of the node the edge leaves (it may have been removed). `target` is the node it leads to now.
-- `id`, `place` (root and source as they were) and `label` say how to find a target again.
-- `partial`: the document was found, the heading that the label names is waited for.
CREATE TABLE relations (
    key INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    type INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    target INTEGER,
    id TEXT NOT NULL,
    root TEXT NOT NULL,
    place TEXT NOT NULL,
    label TEXT NOT NULL,
    name_key TEXT NOT NULL,
    source_key TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    partial INTEGER NOT NULL DEFAULT 0,
    ambiguous INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX relations_by_source ON relations (source);
CREATE INDEX relations_by_target ON relations (target);
CREATE INDEX relations_by_name ON relations (name_key);
CREATE INDEX relations_by_place ON relations (source_key) WHERE source_key IS NOT NULL;

-- The graph. `type` and `origin` are codes (see relationship_types and origins). `links` is the number of links behind the edge.
CREATE TABLE edges (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    type INTEGER NOT NULL REFERENCES relationship_types (code),
    origin INTEGER NOT NULL REFERENCES origins (code),
    weight INTEGER NOT NULL,
    links INTEGER NOT NULL DEFAULT 1,
    ambiguous INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (source, target, type, origin)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target);

CREATE TABLE relationship_types (
    code INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO relationship_types (code, name) VALUES
    (0, 'related_to'), (1, 'caused_by'), (2, 'part_of'), (3, 'references'),
    (4, 'contradicts'), (5, 'supports'), (6, 'similar_to'), (7, 'derived_from');

-- In the order in which parallel edges of one weight are preferred.
CREATE TABLE origins (
    code INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO origins (code, name) VALUES (0, 'manual'), (1, 'parsed'), (2, 'discovered'), (3, 'mentioned');

-- The version trail. A snapshot with `finished` 0 is a compile in slices that has not come to its end.
CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    message TEXT NOT NULL,
    state_hash BLOB NOT NULL,
    finished INTEGER NOT NULL DEFAULT 1
) STRICT;

-- One row for each node that a snapshot changed: what it was before (all NULL for an addition). What it became is in
-- the node's next row, or in the node itself.
CREATE TABLE changes (
    snapshot INTEGER NOT NULL,
    node INTEGER NOT NULL,
    op TEXT NOT NULL,
    kind TEXT,
    label TEXT,
    content BLOB,
    parent INTEGER,
    previous INTEGER,
    document INTEGER,
    tags TEXT,
    PRIMARY KEY (snapshot, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_node ON changes (node) WHERE op <> 'add';

-- Old texts, each once, by hash. The text of a living node stands in the node.
CREATE TABLE contents (
    hash BLOB PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- Nodes that are gone. Their ids are never given to other content, and they return under their id and key.
CREATE TABLE removed (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    label TEXT,
    content BLOB NOT NULL,
    piece INTEGER NOT NULL,
    document INTEGER NOT NULL,
    parent INTEGER,
    position INTEGER NOT NULL,
    root TEXT NOT NULL,
    source TEXT NOT NULL,
    path BLOB NOT NULL,
    snapshot INTEGER NOT NULL
) STRICT;
CREATE INDEX removed_by_content ON removed (content);
CREATE INDEX removed_by_source ON removed (root, source) WHERE kind = 'document';
CREATE INDEX removed_by_document ON removed (document);

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

-- Consecutive nodes [first, last] of one document under one section. `hash` is of the indexed text, so that only changed
-- passages are written again; a passage that keeps its text keeps its key.
CREATE TABLE passages (
    key INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    section INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    hash INTEGER NOT NULL
) STRICT;
CREATE INDEX passages_by_document ON passages (document, first);

-- The rowid is the passage's key. The texts are folded, scripts without spaces stand as pairs (search/scripts.py); no text
-- is kept. Written by the write path alone. `context` is what helps to find the passage without being part of it. The
-- first column is that which takes least space.
CREATE VIRTUAL TABLE passages_text USING fts5 (
    content, label, breadcrumb, tags, context,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- Each word of the index with its place; stores nothing.
CREATE VIRTUAL TABLE passages_words USING fts5vocab ('passages_text', 'instance');

-- What changed in the graph, newest last, so that what holds it in memory can follow: two nodes between which edges
-- changed, or (`target` NULL) a document whose nodes did. Kept by triggers whoever writes; only the newest few thousand
-- rows stay, and who missed more reads the whole graph. An inserted node shows by its document, new or longer.
CREATE TABLE graph_changes (
    seq INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    target INTEGER
) STRICT;
CREATE TRIGGER graph_changes_bounded AFTER INSERT ON graph_changes
WHEN NEW.seq % 512 = 0
BEGIN
    DELETE FROM graph_changes WHERE seq <= NEW.seq - 4096;
END;
CREATE TRIGGER graph_edge_made AFTER INSERT ON edges
BEGIN
    INSERT INTO graph_changes (source, target) VALUES (NEW.source, NEW.target);
END;
CREATE TRIGGER graph_edge_changed AFTER UPDATE OF source, target, type, origin, weight ON edges
WHEN (OLD.source, OLD.target, OLD.type, OLD.origin, OLD.weight)
    <> (NEW.source, NEW.target, NEW.type, NEW.origin, NEW.weight)
BEGIN
    INSERT INTO graph_changes (source, target) VALUES (OLD.source, OLD.target), (NEW.source, NEW.target);
END;
CREATE TRIGGER graph_edge_gone AFTER DELETE ON edges
BEGIN
    INSERT INTO graph_changes (source, target) VALUES (OLD.source, OLD.target);
END;
CREATE TRIGGER graph_document_made AFTER INSERT ON nodes
WHEN NEW.position = 0
BEGIN
    INSERT INTO graph_changes (source) VALUES (NEW.document);
END;
CREATE TRIGGER graph_node_changed AFTER UPDATE OF id, kind, document, parent, position, last, station ON nodes
WHEN (OLD.id, OLD.kind, OLD.document, OLD.position, OLD.last, OLD.station)
    <> (NEW.id, NEW.kind, NEW.document, NEW.position, NEW.last, NEW.station)
    OR OLD.parent IS NOT NEW.parent
BEGIN
    INSERT INTO graph_changes (source) VALUES (OLD.document);
    INSERT INTO graph_changes (source) SELECT NEW.document WHERE NEW.document <> OLD.document;
END;
CREATE TRIGGER graph_node_gone AFTER DELETE ON nodes
BEGIN
    INSERT INTO graph_changes (source) VALUES (OLD.document);
END;
CREATE TRIGGER graph_title_made AFTER INSERT ON documents
BEGIN
    INSERT INTO graph_changes (source) VALUES (NEW.node);
END;
CREATE TRIGGER graph_title_changed AFTER UPDATE OF title_heading ON documents
WHEN OLD.title_heading IS NOT NEW.title_heading
BEGIN
    INSERT INTO graph_changes (source) VALUES (NEW.node);
END;

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

-- The names that texts are searched for. `name` is as it is looked for (graph/mentions.py), `name_key` that of its rows
-- in `names`, `head` its first two words, by which the names that a short text may use are found. `texts` is how many
-- texts use it. A name follows from its name key, so each stands here once.
CREATE TABLE mention_names (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    head TEXT NOT NULL,
    texts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX mention_names_by_key ON mention_names (name_key);
CREATE INDEX mention_names_by_head ON mention_names (head);

-- Which texts (documents and memories) use which names: the first node that does, how it spells it there, and the node
-- that is named (NULL: none without doubt, or too many texts use the name). Names of the own document are left out.
CREATE TABLE mention_uses (
    document INTEGER NOT NULL,
    name INTEGER NOT NULL,
    node INTEGER NOT NULL,
    spelling TEXT NOT NULL,
    target INTEGER,
    PRIMARY KEY (document, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_uses_by_name ON mention_uses (name);
CREATE INDEX mention_uses_by_target ON mention_uses (target) WHERE target IS NOT NULL;

-- Mentions that a call removed. They stay away while both texts are as they were (hashes of what they say).
CREATE TABLE mention_refusals (
    document INTEGER NOT NULL,
    target INTEGER NOT NULL,
    source_text BLOB NOT NULL,
    target_text BLOB NOT NULL,
    PRIMARY KEY (document, target)
) STRICT, WITHOUT ROWID;

-- What is owed since the mentions were brought up to date: `text`, the key of a document that changed, came or went;
-- `name`, a name key under which names changed; `edges`, the key of a document whose other edges changed.
CREATE TABLE mention_work (
    kind TEXT NOT NULL,
    item ANY NOT NULL,
    PRIMARY KEY (kind, item)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER mention_edge_made AFTER INSERT ON edges
WHEN NEW.origin < 2 AND EXISTS (
    SELECT 1 FROM mention_uses
    WHERE target IN (NEW.target, (SELECT title_heading FROM documents WHERE node = NEW.target))
)
BEGIN
    INSERT OR IGNORE INTO mention_work (kind, item) SELECT 'edges', document FROM nodes WHERE key = NEW.source;
END;
CREATE TRIGGER mention_edge_gone AFTER DELETE ON edges
WHEN OLD.origin < 2 AND EXISTS (
    SELECT 1 FROM mention_uses
    WHERE target IN (OLD.target, (SELECT title_heading FROM documents WHERE node = OLD.target))
)
BEGIN
    INSERT OR IGNORE INTO mention_work (kind, item) SELECT 'edges', document FROM nodes WHERE key = OLD.source;
END;

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

-- Discovered edges that a call removed: they stay away while both texts are as they were (hashes of what they say; NULL
-- in rows of older files, until the texts are looked at again).
CREATE TABLE discovery_refusals (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    source_text BLOB,
    target_text BLOB,
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

-- What a document was before a snapshot that changed it or its place: where it stood, and what of its text no node holds,
-- so that it can be made again. A change of place that makes no snapshot counts as part of the newest one. `nodes` is compressed (versioning/layouts.py), NULL where it was purged.
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
