"""Resolution against a slow reading of its rules, and what must not matter to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.graph.resolve import Hint, Name, Place, Resolution, resolve
from remem.keys import exact_key, loose_key, name_key, strict_key, strip_note_extension
from tests.graph.vault import Vault, build_vault

WORDS = ["a", "A", "b", "a b", "a-b", "A_b", "index"]
FOLDERS = ["", "n/", "N/", "n/m/", "m/", "n-m/", "n m/"]
LABELS = [*WORDS * 6, "a.md", "A.html", "n/", "m/", "/n/", "../n/"] + [
    f"{folder}{word}"
    for folder in ("n/", "m/", "n/m/", "N/", "../", "/", "./", "n_m/", "/m/", "../../")
    for word in WORDS[:5]
]

lines = st.one_of(
    st.builds(
        lambda root, folder, word, suffix, parts: f"{root}{folder}{word}{suffix}" + "".join(parts),
        st.sampled_from(["", "", "", "alpha:", "zeta:"]),
        st.sampled_from(FOLDERS),
        st.sampled_from(WORDS),
        st.sampled_from([".md", ".md", ".html"]),
        st.lists(
            st.one_of(
                st.sampled_from([" | title: a", " | title: A_b", " | alias: b", " | < n/b.md", " | < m/a-b.md"]),
                st.builds(
                    " | {} {}".format,
                    st.sampled_from(["#", "##"]),
                    st.sampled_from(["a", "A", "b", "B", "a b < b", "a-b < a"]),
                ),
            ),
            max_size=4,
        ),
    ),
    st.sampled_from(["memory: a", "memory: A", "memory: b", "entity: a-b", "memory: c | << b"]),
)
vaults = st.lists(lines, min_size=3, max_size=14, unique_by=lambda line: line.partition(" | ")[0]).map(
    lambda chosen: build_vault("\n".join(["x.md", *chosen]))
)
hints = st.builds(
    Hint,
    st.sampled_from(LABELS),
    anchor=st.just(""),
    id=st.just(""),
    form=st.just("wiki"),
    source=st.sampled_from(["", "", "", "a.md", "n/a", "n/b.md", "/a.md"]),
)


class SlowRules:
    """The rules of resolution, each a scan of all names."""

    def __init__(self, vault: Vault, hint: Hint, place: Place, titles: dict[int, int]) -> None:
        self.names, self.hint, self.place, self.titles = vault.names, hint, place, titles

    def run(self) -> Resolution:
        own = self.place.root
        if own is not None:
            found = (
                self.by_current(own) or self.by_memory() or self.by_earlier((own, "")) or self.by_spelling((own, ""))
            )
            if found:
                return found
        others = [root for root in sorted({name.root for name in self.names}) if root not in (own, "")]
        tries: list[Resolution | None] = []
        if own is not None:
            tries = [self.by_current(root) for root in others]
            tries += [self.by_earlier((root,)) for root in others] + [self.by_spelling((root,)) for root in others]
        else:
            spelled = [root for root in others if self.spell_names((root,))]
            tries = [merge_roots([self.by_current(root) for root in others]), self.by_memory()]
            tries += [merge_roots([self.by_earlier((root,)) for root in (*others, "")])]
            tries += [merge_roots([self.by_spelling((root, "")) for root in spelled or [""]])]
        return next(filter(None, tries), Resolution("pending"))

    def pick(self, group: list[tuple[str, Name]], text: str, rule: str, stale: bool = False) -> Resolution | None:
        if not group:
            return None
        group = [(known, name) for known, name in group if exact_key(known) == exact_key(text)] or group
        best = min((name for _, name in group), key=self.order)
        ambiguous = len({self.lead(name) for _, name in group}) > 1
        return Resolution("edge", self.lead(best), best.document, rule, ambiguous, stale)

    def order(self, name: Name) -> tuple[int, str, int, int]:
        here, there = self.place.source.split("/")[:-1], name.source.split("/")[:-1]
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        apart = len(here) + len(there) - 2 * common if self.place.root == name.root else 0
        return apart, name.source, name.position, name.node

    def lead(self, name: Name) -> int:
        return self.titles.get(name.node, name.node)

    def called(self, kind: str, root: str) -> list[tuple[str, Name]]:
        key = strict_key(self.hint.label)
        return [
            (name.text, name)
            for name in self.names
            if (name.kind, name.root) == (kind, root) and strict_key(name.text) == key
        ]

    def own_first(self, group: list[tuple[str, Name]]) -> list[tuple[str, Name]]:
        return [pair for pair in group if pair[1].document == self.place.document] or group

    def by_current(self, root: str) -> Resolution | None:
        if self.hint.source and (found := self.by_source(root)):
            return found
        label = self.hint.label
        if ("/" in label or strip_note_extension(label) != label) and (found := self.by_path(root)):
            return found
        for kind in ("stem", "title", "alias"):
            if found := self.pick(self.called(kind, root), label, kind):
                return found
        return self.pick(self.own_first(self.called("heading", root)), label, "heading")

    def by_memory(self) -> Resolution | None:
        found = self.pick(self.called("memory", ""), self.hint.label, "memory")
        return found or self.pick(self.called("entity", ""), self.hint.label, "entity")

    def by_source(self, root: str) -> Resolution | None:
        sources = [name for name in self.names if name.kind == "stem" and name.root == root]
        return self.by_label_in(self.documents(sources), root, ("stem", "title", "alias", "heading"), "source")

    def documents(self, sources: Sequence[Name]) -> set[int]:
        whole = self.hint.source.startswith("/")
        steps = self.hint.source.strip("/").split("/")
        return {
            name.document
            for name in sources
            for path in spell(name.source if name.kind == "stem" else name.text)
            if ends(path, steps, strict_key) and (not whole or len(path) == len(steps))
        }

    def by_label_in(
        self, documents: set[int], root: str, kinds: Sequence[str], rule: str, stale: bool = False
    ) -> Resolution | None:
        for kind in kinds:
            group = [pair for pair in self.called(kind, root) if pair[1].document in documents]
            if found := self.pick(group, self.hint.label, rule, stale):
                return found
        return None

    def by_path(self, root: str) -> Resolution | None:
        label = self.hint.label
        if label.endswith("/"):
            indexes = [name for name in self.names if name.kind == "stem" and name.root == root and "/" in name.source]
            indexes = [name for name in indexes if name.text == "index"]
            indexes.sort(key=lambda name: (not name.source.endswith(".md"), name.source))
            folders: dict[str, Name] = {}
            for name in indexes:
                folders.setdefault(name.source.rpartition("/")[0], name)
            paths = [(folder.split("/"), name) for folder, name in folders.items()]
            return self.follow([paths], root, "path")
        stems = [name for name in self.names if name.kind == "stem" and name.root == root]
        return self.follow(layer([(name.source, name) for name in stems]), root, "path")

    def follow(
        self, layers: Sequence[list[tuple[list[str], Name]]], root: str, rule: str, stale: bool = False
    ) -> Resolution | None:
        for steps, whole in self.list_walks(root):
            for paths in layers:
                hit = [(path, n) for path, n in paths if ends(path, steps, strict_key)]
                group = [("/".join(path[-len(steps) :]), n) for path, n in hit if not whole or len(path) == len(steps)]
                if group:
                    found = self.pick(group, "/".join(steps), rule, stale)
                    return found if whole or (found and not found.ambiguous) else None
        return None

    def list_walks(self, root: str) -> Iterator[tuple[list[str], bool]]:
        label = self.hint.label
        folder = self.place.source.split("/")[:-1]
        if root == self.place.root and not label.startswith("/") and (steps := walk(folder, label)):
            yield steps, True
        if steps := walk([], label):
            yield steps, True
            if not label.startswith("/"):
                yield steps, False

    def by_earlier(self, roots: Sequence[str]) -> Resolution | None:
        root = roots[0]
        if self.hint.source:
            now = self.documents([name for name in self.names if name.kind == "stem" and name.root == root])
            then = self.documents([name for name in self.names if name.kind == "old_source" and name.root == root])
            current, earlier = ("stem", "title", "alias", "heading"), ("old_stem", "old_label")
            for documents, kinds in ((now, earlier), (then, current), (then, earlier)):
                if found := self.by_label_in(documents, root, kinds, "earlier", True):
                    return found
        label = self.hint.label
        for kind in ("old_stem", "old_label"):
            for where in roots:
                group = self.called(kind, where)
                titled = [p for p in group if self.lead(p[1]) == self.titles.get(p[1].document, p[1].document)]
                if found := self.pick(self.own_first(titled or group), label, "earlier", True):
                    return found
        if "/" not in label and strip_note_extension(label) == label:
            return None
        old = [(name.text, name) for name in self.names if name.kind == "old_source" and name.root == root]
        return self.follow(layer(old), root, "earlier", True)

    def by_spelling(self, roots: Sequence[str]) -> Resolution | None:
        found = self.spell_names(roots)
        if len({self.lead(name) for name in found}) != 1:
            return None
        return Resolution("edge", self.lead(found[0]), found[0].document, "loose")

    def spell_names(self, roots: Sequence[str]) -> list[Name]:
        label, current = self.hint.label, {"stem", "title", "alias", "heading", "memory", "entity"}
        named = [name for name in self.names if name.kind in current and name.root in roots]
        found = [name for name in named if loose_key(name.text) == loose_key(label)]
        if ("/" in label or strip_note_extension(label) != label) and not label.endswith("/"):
            found += [name for root in roots for name in self.spell_path(root)]
        return found

    def spell_path(self, root: str) -> list[Name]:
        stems = [(name.source, name) for name in self.names if name.kind == "stem" and name.root == root]
        walks = list(self.list_walks(root))
        if self.hint.label.startswith("/"):
            walks = walks[:1]
        else:
            walks = [walk for at, walk in enumerate(walks) if at != len(walks) - 2]
        for steps, whole in walks:
            for paths in layer(stems):
                hit = [(path, name) for path, name in paths if ends(path, steps, loose_key)]
                if group := [name for path, name in hit if not whole or len(path) == len(steps)]:
                    return group
        return []


def merge_roots(found: Sequence[Resolution | None]) -> Resolution | None:
    """The first, ambiguous if another root has another target by the same rule."""
    some = [one for one in found if one]
    rivals = {one.target for one in some if one.rule == some[0].rule}
    return some[0]._replace(ambiguous=some[0].ambiguous or len(rivals) > 1) if some else None


def spell(path: str) -> list[list[str]]:
    return [path.split("/"), strip_note_extension(path).split("/")]


def layer(paths: Sequence[tuple[str, Name]]) -> list[list[tuple[list[str], Name]]]:
    """By whole file names, then by stems."""
    return [[(spell(path)[at], name) for path, name in paths] for at in (0, 1)]


def ends(path: list[str], steps: list[str], key: Callable[[str], str]) -> bool:
    return [key(step) for step in path[-len(steps) :]] == [key(step) for step in steps]


def walk(folder: list[str], label: str) -> list[str]:
    steps = list(folder)
    for step in label.split("/"):
        if step == ".." and not steps:
            return []
        if step == "..":
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return steps


def list_places(vault: Vault) -> list[Place]:
    return [Place(None, "", 0), *(Place(d.root, d.source, d.node) for d in vault.documents)]


@settings(max_examples=400)
@given(vaults, hints, st.data())
def test_resolution_is_what_a_slow_reading_of_the_rules_finds(vault: Vault, hint: Hint, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list_places(vault)))
    catalog = vault.make_catalog()
    assert resolve(hint, place, catalog) == SlowRules(vault, hint, place, dict(catalog.title_heading)).run()


@settings(max_examples=60)
@given(vaults, hints, st.data())
def test_the_order_of_the_names_does_not_matter(vault: Vault, hint: Hint, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list_places(vault)))
    shuffled = data.draw(st.permutations(vault.names))
    assert resolve(hint, place, vault.make_catalog(shuffled)) == resolve(hint, place, vault.make_catalog())


@settings(max_examples=60)
@given(vaults, hints, st.data())
def test_names_under_other_keys_change_nothing(vault: Vault, hint: Hint, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list_places(vault)))
    keys = {name_key(hint.label), name_key(hint.source)}
    related = [name for name in vault.names if name.key in keys]
    assert resolve(hint, place, vault.make_catalog(related)) == resolve(hint, place, vault.make_catalog())


@settings(max_examples=40)
@given(vaults, st.lists(hints, max_size=6), st.data())
def test_one_catalog_answers_the_same_whatever_was_asked_before(
    vault: Vault, asked: list[Hint], data: st.DataObject
) -> None:
    places = [data.draw(st.sampled_from(list_places(vault))) for _ in asked]
    catalog = vault.make_catalog()
    found = [resolve(hint, place, catalog) for hint, place in zip(asked, places, strict=True)]
    assert found == [resolve(hint, place, vault.make_catalog()) for hint, place in zip(asked, places, strict=True)]
