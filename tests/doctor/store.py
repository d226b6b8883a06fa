"""A store in which every table has rows, and what it says, without the keys that a repair may give anew."""

from __future__ import annotations

from pathlib import Path

from remem import Remem
from remem.engine.sync import RememSync
from remem.records import PlacedNode
from remem.storage.sqlite import load_vectors
from tests.writing.describe import connect

CONFIG = """
[embedding]
provider = "hashing"
notes = true

[connections]
auto_discovery_threshold = 0.5
"""
NOTES = {
    "plan.md": (
        "---\ntitle: River Plan\naliases: [Harbor Works, QBR]\ntags: [river]\n---\n\n# River Plan\n\n"
        "The costs of it stand in [[costs; w=2.5]] and [[Costs#Budget|there]], see [[Nowhere]]. #north\n\n"
        "## Usage\n\nAda Lovelace wrote of the Harbor Light to Ada Lovelace.\n\n- one\n- two [[#Usage]] ^mark\n"
    ),
    "costs.md": (
        "# Costs\n\nSee [[costs; w=bad]] or [[Plan#^mark]]. Harbor Works cost more than [[QBR]].\n\n"
        "## Budget\n\n| a | b |\n|---|---|\n| [[Open question]] | y |\n\n## Budget\n\n[[Budget]] again [[plan#Gone]]\n"
    ),
    "sub/light.md": "# Harbor Light\n\nsupports:: [[River Plan]]\n\nAda Lovelace saw it.\n\n[[Former name]]\n",
    "data.yaml": "title: Deploy\nsteps:\n  - first [[costs]]\n  - second\ntags: [deploy]\n",
    "page.html": "<title>Page</title><h1 id=top>Page of it</h1><p>see <a href='plan.md'>x</a> and River Plan</p>",
}
RENAMED = "# Harbor Light\n\nsupports:: [[River Plan]]\n\nAda Lovelace saw it all.\n\n[[Former name]]\n"


def write_notes(folder: Path, notes: dict[str, str]) -> None:
    """Writes files below a folder."""
    for source, text in notes.items():
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / source).write_text(text, encoding="utf-8")


def make_store(place: Path) -> Path:
    """Makes the notes and the store below a folder; gives the path of the store."""
    notes, path, config = place / "notes", place / "store.db", place / "settings.toml"
    config.write_text(CONFIG, encoding="utf-8")
    write_notes(notes, {**NOTES, "old.md": "# Former name\n\nfirst text of it\n"})
    with Remem.open_sync(path, config=config) as remem:
        remem.compile(notes)
        write_notes(notes, {"old.md": "# Present name\n\nfirst text of it\n", "sub/light.md": RENAMED})
        remem.compile(notes)
        for number, words in enumerate(("the river rose in spring", "the river rose in the spring", "another thing")):
            remem.store(f"# Fact {number}\n\nAda Lovelace told that {words} [[costs]] #told", id=f"m{number}")
        remem.store("short lived", id="short", ttl=10**7, tags=["brief"], source="chat", metadata={"a": 1})
        given = {"entities": [{"name": "Ada", "type": "person"}, {"name": "Loom"}]}
        links = [{"source": "Ada", "target": "Loom", "relationship_type": "supports"}]
        remem.store("Ada and her Loom", id="looms", graph_extraction={**given, "relationships": links})
        remem.store("archived [[costs]]", id="past")
        remem.forget("past")
        remem.store("gone for good", id="lost")
        remem.forget("lost", hard=True)
        relate(remem)
        remem.pin("m0")
        remem.get("m1")
        remem.place([PlacedNode("m0", 1.5, -2.0), PlacedNode("m1", 3.0, 4.0)])
        remem.embed()
        remem.settle()
    return path


def relate(remem: RememSync) -> None:
    """Edges of calls, edges that calls removed, and documents that calls changed."""
    remem.relate("m0", "m2", type="supports", weight=3)
    remem.relate("m0", target_label="Budget of a later year", target_source="later.md")
    remem.write("A text of a call, of [[Present name]].", parent="Harbor Light")
    remem.summarise("Usage", "what was used")
    remem.settle()
    for origin in ("discovered", "mentioned"):
        edge = next(edge for edge in remem.export().edges if edge.origin == origin)
        remem.unrelate(edge.source_id, edge.target_id, type=edge.relationship_type)


STATEMENTS = {
    "nodes": """SELECT id, kind, document, parent, position, last, station, piece, tokens, label, content, gap, prefix
                FROM nodes ORDER BY id""",
    "documents": "SELECT * FROM documents ORDER BY node",
    "diagnostics": "SELECT * FROM diagnostics ORDER BY document, line, code",
    "names": "SELECT * FROM names ORDER BY key, kind, node, text",
    "tags": "SELECT * FROM tags ORDER BY node, key",
    "links": """SELECT node, ordinal, form, label, anchor, shown, source, id, type, weight, name_key, source_key, state,
                target, rule, ambiguous, stale FROM links ORDER BY node, ordinal""",
    "relations": "SELECT * FROM relations ORDER BY key",
    "edges": """SELECT source, target, type, origin, (weight + 50) / 100, links, ambiguous FROM edges
                ORDER BY 1, 2, 3, 4""",
    "passages": "SELECT document, section, first, last, tokens, hash FROM passages ORDER BY document, first",
    "passages_text": """SELECT w.term, p.document, p.first, w.col, w.offset FROM passages_words AS w
                        JOIN passages AS p ON p.key = w.doc ORDER BY 1, 2, 3, 4, 5""",
    "memories": "SELECT * FROM memories ORDER BY node",
    "entities": "SELECT * FROM entities ORDER BY node",
    "mention_names": "SELECT name, name_key, head, texts FROM mention_names ORDER BY name",
    "mention_uses": """SELECT u.document, n.name, u.node, u.spelling, u.target FROM mention_uses AS u
                       JOIN mention_names AS n ON n.key = u.name ORDER BY 1, 2""",
    "mention_refusals": "SELECT * FROM mention_refusals ORDER BY 1, 2",
    "mention_work": "SELECT * FROM mention_work ORDER BY 1, 2",
    "vectors": """SELECT p.document, p.first, v.chunk, v.hash, vec_to_json(n.vector) FROM vectors AS v
                  JOIN passages AS p ON p.key = v.passage JOIN node_vectors AS n ON n.key = v.key ORDER BY 1, 2, 3""",
    "phrases": """SELECT p.document, p.first, f.phrase, f.single FROM phrases AS f
                  JOIN passages AS p ON p.key = f.passage ORDER BY 1, 2, 3""",
    "jobs": "SELECT kind, node FROM jobs ORDER BY 1, 2",
    "discovery_refusals": "SELECT * FROM discovery_refusals ORDER BY 1, 2",
    "held": "SELECT * FROM held ORDER BY root, source",
    "summaries": "SELECT * FROM summaries ORDER BY node",
    "usage": "SELECT * FROM usage ORDER BY node",
    "arrivals": "SELECT * FROM arrivals ORDER BY last",
    "positions": "SELECT * FROM positions ORDER BY node",
    "removed": "SELECT * FROM removed ORDER BY key",
    "snapshots": "SELECT * FROM snapshots ORDER BY id",
    "changes": "SELECT * FROM changes ORDER BY 1, 2",
    "contents": "SELECT * FROM contents ORDER BY 1",
    "layouts": "SELECT * FROM layouts ORDER BY 1, 2",
    "former_memories": "SELECT * FROM former_memories ORDER BY 1",
    "former_entities": "SELECT * FROM former_entities ORDER BY 1",
    "former_roots": "SELECT * FROM former_roots ORDER BY 1",
}
"""What each table says, by table."""


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of all tables."""
    connection = connect(path)
    try:
        load_vectors(connection)
        return {table: connection.execute(statement).fetchall() for table, statement in STATEMENTS.items()}
    finally:
        connection.close()


def change(path: Path, *statements: str) -> int:
    """Runs statements on the closed store as someone with an editor would; how many rows they changed."""
    connection = connect(path)
    try:
        load_vectors(connection)
        connection.execute("PRAGMA foreign_keys = OFF")
        return sum(connection.execute(statement).rowcount for statement in statements)
    finally:
        connection.close()
