"""What may be wrong with rows that follow from others: by table, what is done to it."""

from __future__ import annotations

ONE_TEXT = "(SELECT min(key) FROM nodes WHERE kind = 'text')"
ONE_MEMORY = "(SELECT min(node) FROM memories WHERE archived_at IS NULL)"

DERIVED: dict[str, dict[str, str]] = {
    "nodes": {
        "positions moved": "UPDATE nodes SET position = position + 1 WHERE"
        " kind = 'text' AND document IN (SELECT node FROM documents)",
        "last too short": "UPDATE nodes SET last = position WHERE kind = 'heading'",
        "another station": "UPDATE nodes SET station = document WHERE kind = 'text'",
        "another count of tokens": f"UPDATE nodes SET tokens = tokens + 7 WHERE key = {ONE_TEXT}",
        "another label": "UPDATE nodes SET label = 'Else' WHERE kind = 'heading'",
        "another parent": "UPDATE nodes SET parent = document WHERE kind = 'text' AND parent <> document",
        "a memory with another label": f"UPDATE nodes SET label = 'Else' WHERE key = {ONE_MEMORY}",
        "a memory with another count": f"UPDATE nodes SET tokens = 0 WHERE key = {ONE_MEMORY}",
        "a memory at another position": f"UPDATE nodes SET last = 3 WHERE key = {ONE_MEMORY}",
        "an entity at another station": "UPDATE nodes SET station = 1 WHERE kind = 'entity'",
    },
    "documents": {
        "no title heading": "UPDATE documents SET title_heading = NULL",
        "another title heading": f"UPDATE documents SET title_heading = {ONE_TEXT}",
    },
    "diagnostics": {
        "deleted": "DELETE FROM diagnostics",
        "altered": "UPDATE diagnostics SET line = 77",
        "rubbish": "INSERT INTO diagnostics SELECT node, 1, 'rubbish',"
        " 'x' FROM documents WHERE source IN ('costs.md', 'data.yaml')",
        "of nothing": "INSERT INTO diagnostics VALUES (99999, 1, 'rubbish', 'x')",
    },
    "names": {
        "deleted": "DELETE FROM names WHERE kind = 'title'",
        "headings deleted": "DELETE FROM names WHERE kind = 'heading'",
        "altered": "UPDATE names SET key = 'else' WHERE kind = 'stem'",
        "another kind": "UPDATE names SET kind = 'alias' WHERE kind = 'block'",
        "rubbish": f"INSERT INTO names VALUES ('rubbish', 'alias', {ONE_TEXT}, 'Rubbish')",
        "a kind of its own": f"INSERT INTO names VALUES ('rubbish', 'rubbish', {ONE_TEXT}, 'Rubbish')",
        "of nothing": "INSERT INTO names VALUES ('rubbish', 'alias', 99999, 'Rubbish')",
        "of a memory": "DELETE FROM names WHERE kind = 'memory'",
        "of an entity": "DELETE FROM names WHERE kind = 'entity'",
        "earlier ones of nothing": "INSERT INTO names VALUES ('rubbish', 'old_label', 99999, 'Rubbish')",
    },
    "tags": {
        "deleted": "DELETE FROM tags",
        "altered": "UPDATE tags SET tag = 'else'",
        "rubbish": f"INSERT INTO tags VALUES ({ONE_TEXT}, 'rubbish', 'rubbish')",
        "of a memory": f"INSERT INTO tags VALUES ({ONE_MEMORY}, 'rubbish', 'rubbish')",
        "of nothing": "INSERT INTO tags VALUES (99999, 'rubbish', 'rubbish')",
    },
    "links": {
        "deleted": "DELETE FROM links WHERE key % 2 = 0",
        "all deleted": "DELETE FROM links",
        "another label": "UPDATE links SET label = 'Else', name_key = 'else'",
        "another key": "UPDATE links SET name_key = 'else'",
        "another weight": "UPDATE links SET weight = 7",
        "another target": f"UPDATE links SET target = {ONE_TEXT} WHERE target IS NOT NULL",
        "no target": "UPDATE links SET target = NULL",
        "a target for all": f"UPDATE links SET target = {ONE_TEXT}, state = 'edge'",
        "a target that is gone": "UPDATE links SET target = 99999 WHERE target IS NOT NULL",
        "another state": "UPDATE links SET state = 'pending'",
        "a state of its own": "UPDATE links SET state = 'rubbish'",
        "another rule": "UPDATE links SET rule = 'rubbish' WHERE rule IS NOT NULL",
        "never ambiguous": "UPDATE links SET ambiguous = 0",
        "never stale": "UPDATE links SET stale = 0",
        "doubled": "INSERT INTO links SELECT key + 1000, node,"
        " ordinal, form, label, anchor, shown, source, id, type, weight,"
        " name_key, source_key, state, target, rule, ambiguous, stale FROM links",
        "of nothing": "INSERT INTO links SELECT key + 1000, 99999,"
        " ordinal, form, label, anchor, shown, source, id, type,"
        " weight, name_key, source_key, state, target, rule, ambiguous, stale FROM links WHERE key = 1",
    },
    "relations": {
        "no target": "UPDATE relations SET target = NULL",
        "a target that is gone": "UPDATE relations SET target = 99999 WHERE target IS NOT NULL",
        "another target than that of the id": "UPDATE relations SET target = (SELECT max(key) FROM nodes)"
        " WHERE id <> ''",
        "another key": "UPDATE relations SET name_key = 'else'",
        "another key of the source": "UPDATE relations SET source_key = 'else'",
        "other doubts": "UPDATE relations SET ambiguous = 1 - ambiguous, partial = 1 - partial",
        "of nothing": "INSERT INTO relations SELECT key + 1000, 99999,"
        " type, weight, target, id, root, place, label, name_key,"
        " source_key, created_at, updated_at, partial, ambiguous FROM relations WHERE key = 1",
    },
    "edges": {
        "parsed deleted": "DELETE FROM edges WHERE origin = 1",
        "manual deleted": "DELETE FROM edges WHERE origin = 0",
        "mentioned deleted": "DELETE FROM edges WHERE origin = 3",
        "parsed altered": "UPDATE edges SET weight = 7 WHERE origin = 1",
        "manual altered": "UPDATE edges SET weight = 7 WHERE origin = 0",
        "mentioned altered": "UPDATE edges SET weight = 7 WHERE origin = 3",
        "discovered too heavy": "UPDATE edges SET weight = 70000000 WHERE origin = 2",
        "discovered too light": "UPDATE edges SET weight = -1 WHERE origin = 2",
        "discovered of another type": "UPDATE edges SET type = 3 WHERE origin = 2",
        "discovered a little lighter": "UPDATE edges SET weight = weight - 2000 WHERE origin = 2",
        "discovered as if the same": "UPDATE edges SET weight = 1000000 WHERE origin = 2 AND weight < 990000",
        "counted otherwise": "UPDATE edges SET links = 9, ambiguous = 1",
        "parsed rubbish": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 4, 1, 1, 1, 0, 0, 0)",
        "manual rubbish": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 4, 0, 1, 1, 0, 0, 0)",
        "mentioned rubbish": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 3, 3, 1, 1, 0, 0, 0)",
        "discovered rubbish": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 0, 2, 1, 1, 0, 0, 0)",
        "discovered with itself": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_MEMORY}, 0, 2, 900000, 1, 0, 0, 0)",
        "of nothing": f"INSERT INTO edges VALUES ({ONE_MEMORY}, 99999, 0, 2, 1, 1, 0, 0, 0)",
        "an origin of its own": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 0, 9, 1, 1, 0, 0, 0)",
        "a type of its own": f"INSERT INTO edges VALUES ({ONE_MEMORY}, {ONE_TEXT}, 99, 2, 900000, 1, 0, 0, 0)",
    },
    "passages": {
        "deleted": "DELETE FROM passages WHERE key % 2 = 0",
        "all deleted": "DELETE FROM passages",
        "altered": "UPDATE passages SET last = last + 1",
        "another section": "UPDATE passages SET section = document",
        "another hash": "UPDATE passages SET hash = 7",
        "another count": "UPDATE passages SET tokens = 7",
        "doubled": "INSERT INTO passages SELECT key + 1000, document, section, first, last, tokens, hash FROM passages",
        "of nothing": "INSERT INTO passages VALUES (1000, 99999, 99999, 0, 1, 1, 1)",
    },
    "passages_text": {
        "deleted": "DELETE FROM passages_text WHERE rowid = (SELECT min(key) FROM passages)",
        "all deleted": "INSERT INTO passages_text (passages_text) VALUES ('delete-all')",
        "other words": "INSERT OR REPLACE INTO passages_text (rowid, content, label, breadcrumb, tags, context)"
        " VALUES ((SELECT min(key) FROM passages), 'else', '', '', '', '')",
        "rubbish": "INSERT INTO passages_text (rowid, content, label, breadcrumb, tags, context)"
        " VALUES (99999, 'else', '', '', '', '')",
    },
    "memories": {
        "another hash": f"UPDATE memories SET hash = x'00' WHERE node = {ONE_MEMORY}",
    },
    "entities": {
        "another key": "UPDATE entities SET key = key || ' else'",
        "of nothing": "INSERT INTO entities VALUES (99999, 'rubbish', '')",
    },
    "mention_names": {
        "deleted": "DELETE FROM mention_names",
        "another name": "UPDATE mention_names SET name = name || ' else'",
        "another key": "UPDATE mention_names SET name_key = 'else'",
        "another head": "UPDATE mention_names SET head = 'else'",
        "another count": "UPDATE mention_names SET texts = texts + 1",
        "rubbish": "INSERT INTO mention_names VALUES (1000, 'rubbish else', 'rubbish', 'rubbish else', 0)",
    },
    "mention_uses": {
        "deleted": "DELETE FROM mention_uses",
        "no target": "UPDATE mention_uses SET target = NULL",
        "another target": f"UPDATE mention_uses SET target = {ONE_TEXT}",
        "another node": "UPDATE mention_uses SET node = document",
        "another spelling": "UPDATE mention_uses SET spelling = 'else'",
        "rubbish": f"INSERT INTO mention_uses VALUES ({ONE_MEMORY}, (SELECT"
        f" max(key) FROM mention_names), 1, 'x', NULL)",
        "of nothing": "INSERT INTO mention_uses VALUES (99999, 99999, 1, 'x', NULL)",
    },
    "mention_refusals": {"of nothing": "INSERT INTO mention_refusals VALUES (99999, 99998, x'00', x'00')"},
    "mention_work": {"a kind of its own": "INSERT INTO mention_work VALUES ('rubbish', 1)"},
    "vectors": {
        "rows deleted": "DELETE FROM vectors",
        "one row deleted": f"DELETE FROM vectors WHERE passage = (SELECT"
        f" key FROM passages WHERE document = {ONE_MEMORY})",
        "vectors deleted": "DELETE FROM node_vectors WHERE key % 2 = 0",
        "of another passage": "UPDATE vectors SET passage = (SELECT min(key) FROM passages)",
        "another hash": "UPDATE vectors SET hash = zeroblob(16)",
        "of nothing": "INSERT INTO vectors VALUES (1000, 99999, 0, zeroblob(16), 1)",
        "no unit vector": "UPDATE node_vectors SET vector = unhex(replace(hex(zeroblob(384)),"
        " '00', '0000003f')) WHERE key = 1",
        "no number": "UPDATE node_vectors SET vector = zeroblob(1536) WHERE key = 1",
        "a number of changes that comes again": "UPDATE meta SET value = '0' WHERE key = 'vectors_changed'",
    },
    "phrases": {
        "deleted": "DELETE FROM phrases",
        "altered": "UPDATE phrases SET single = 1 - single",
        "rubbish": "INSERT INTO phrases VALUES (7, (SELECT min(key) FROM passages), 0)",
        "of nothing": "INSERT INTO phrases VALUES (7, 99999, 0)",
    },
    "jobs": {
        "a kind of its own": "INSERT INTO jobs (kind, node) VALUES ('rubbish', 1)",
    },
    "discovery_refusals": {"of nothing": "INSERT INTO discovery_refusals VALUES (99999, 99998, x'00', x'00')"},
    "held": {"in a root that is gone": "INSERT INTO held (root, source, hash) VALUES (99, 'x.md', x'00')"},
    "summaries": {"of nothing": "INSERT INTO summaries VALUES (99999, x'00', NULL, '[]')"},
    "usage": {"of nothing": "INSERT INTO usage (node, temperature, at) VALUES (99999, 0.5, 1)"},
    "arrivals": {
        "deleted": "DELETE FROM arrivals",
        "altered": "UPDATE arrivals SET at = 7",
        "rubbish": "INSERT INTO arrivals VALUES (99999, 7)",
    },
    "positions": {
        "of nothing": "INSERT INTO positions VALUES (99999, 1, 1)",
        "nowhere": "INSERT INTO positions SELECT node, 9e999, 1 FROM memories WHERE id = 'm2'",
    },
}
"""Rows that can be made again: what they were comes back."""

MENDED: dict[str, dict[str, str]] = {
    "memories": {
        "too important": "UPDATE memories SET importance = 7 WHERE id = 'm1'",
        "a type of its own": "UPDATE memories SET type = 'rubbish' WHERE id = 'm1'",
        "long-term that expires": "UPDATE memories SET expires_at = 7 WHERE id = 'm1'",
        "short-term for ever": "UPDATE memories SET ttl = NULL, expires_at = NULL WHERE id = 'short'",
        "metadata that is none": "UPDATE memories SET metadata = '[' WHERE id = 'm1'",
        "tags that are none": "UPDATE memories SET tags = '{}' WHERE id = 'm1'",
        "tags that are no texts": "UPDATE memories SET tags = '[7, null]' WHERE id = 'm1'",
        "archived by nobody": "UPDATE memories SET archived_by = 'rubbish' WHERE id = 'past'",
        "archived and alive": "UPDATE memories SET archived_at = 7, archived_by = 'call' WHERE id = 'm1'",
        "archived no more": "UPDATE memories SET archived_at = NULL, archived_by = NULL WHERE id = 'past'",
        "deleted": "DELETE FROM memories WHERE id = 'm1'",
        "of nothing": "INSERT INTO memories SELECT 99999, 'rubbish', type, importance, source, metadata, tags, hash,"
        " created_at, updated_at, ttl, expires_at, archived_at, archived_by FROM memories WHERE id = 'm1'",
    },
    "entities": {"deleted": "DELETE FROM entities WHERE type = ''"},
    "usage": {
        "too hot": "UPDATE usage SET temperature = 7",
        "pinned twice": "UPDATE usage SET pinned = 2",
        "used less than never": "UPDATE usage SET accesses = -1",
    },
    "held": {"a tree that cannot be read": "UPDATE held SET tree = '['"},
    "summaries": {"links that cannot be read": "UPDATE summaries SET links = '['"},
    "names": {"earlier ones deleted": "DELETE FROM names WHERE kind LIKE 'old%'"},
    "snapshots": {
        "another state hash": "UPDATE snapshots SET state_hash = zeroblob(16)"
        " WHERE id = (SELECT max(id) FROM snapshots)",
        "unfinished": "UPDATE snapshots SET finished = 0 WHERE id = (SELECT max(id) FROM snapshots)",
    },
    "layouts": {"deleted": "DELETE FROM layouts", "damaged": "UPDATE layouts SET nodes = x'00'"},
    "changes": {
        "deleted": "DELETE FROM changes WHERE op = 'mod'",
        "of nothing": "INSERT INTO changes (snapshot, node, op) VALUES (999, 1, 'add')",
    },
    "contents": {"deleted": "DELETE FROM contents"},
    "removed": {
        "deleted": "DELETE FROM removed",
        "alive": "INSERT INTO removed SELECT key, id || 'x', kind, label, x'', piece, document, parent, position, '',"
        " '', x'', 1 FROM nodes WHERE kind = 'text'",
    },
}
"""Rows that hold what nothing else tells: the store is sound again, with as little lost as can be."""
