-- What changed in the graph, for those who hold it in memory.

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
