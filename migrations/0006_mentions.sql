-- Mentions: texts that name a node without a link.

-- The names that texts are searched for. `name` is as it is looked for (graph/mentions.py), `name_key` that of its rows
-- in `names`, `head` its first two words, by which the names that a short text may use are found. `texts` is how many
-- texts use it.
CREATE TABLE mention_names (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
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
