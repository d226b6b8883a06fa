-- Passages: the units of search, and their full-text index.

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

-- The next compile reads every file again and makes its passages.
UPDATE documents
SET settings = '';
