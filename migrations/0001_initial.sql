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
-- Rows of earlier names outlive their node: a node that comes back is still known by them.
CREATE TABLE names (
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    node INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (key, kind, node, text)
) STRICT, WITHOUT ROWID;
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
