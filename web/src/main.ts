// The page: joins the graph, the tree, the search and the panel, and follows the store.

import { call, encode, get, keepKey, setKeyAsker } from "./api";
import { askKey, showHelp } from "./dialogs";
import { count, find, make, settle } from "./elements";
import { Filters } from "./filters";
import { Layout } from "./layout";
import { follow } from "./live";
import { Model } from "./model";
import { Panel, tell } from "./panel";
import { Picture } from "./picture";
import { findHits, SearchBox } from "./search";
import type { Columns, NodeView } from "./shapes";
import { Tree } from "./tree";

const MOST = 10_000;
const THEME = "remem.theme";
const model = new Model();
const { graph } = model;

setKeyAsker(async (refused) => {
  const given = await askKey(refused);
  if (given !== null) keepKey(...given);
  return given?.[0] ?? null;
});

const filters = new Filters(find("filter-pane"), model, () => { aim(); picture.refresh(); });
const picture = new Picture(graph, find("graph"), {
  shownNode: (id, data) => filters.shownNode(id, data),
  shownEdge: (id, data) => filters.shownEdge(id, data),
  get heat() { return filters.heat; },
});
const layout = new Layout(graph, () => picture.refresh(), () => { press("arrange", false); void savePositions(); });
const tree = new Tree(find("tree-pane"), model, (id) => void open(id));
const panel = new Panel(find("panel"), {
  open: (id) => void open(id),
  follow: (label, from) => void followLabel(label, from),
  closed: () => void choose(null),
  showWay: (nodes) => picture.showWay(nodes),
  expand: (id) => void expand(id),
  focus: (id) => focus(id),
  nameOf: (id) => (graph.hasNode(id) ? graph.getNodeAttribute(id, "full") : id),
  changed: () => refresh(),
});
const finder = new SearchBox({ open: (id) => void open(id) });

// --- what is loaded ---------------------------------------------------------------------------------------------------

async function load(): Promise<void> {
  const sent = await get<Columns>("/graph", { compact: true, limit: MOST });
  const begun = graph.order > 0;
  const fresh = model.merge(sent, true);
  after(fresh, begun);
}

function after(fresh: readonly string[], begun: boolean): void {
  const { figures } = model;
  const shown = figures.truncated ? `${count(graph.order)} of ${count(figures.totalNodes)} nodes` : `${count(figures.totalNodes)} nodes`;
  find("figures").textContent = `${shown} · ${count(figures.totalEdges)} edges`;
  find("figures").title = figures.truncated ? "The store is larger than the picture: what is linked most is shown. Search and Expand bring in the rest." : "";
  showEmpty();
  filters.draw();
  aim();
  tree.refresh();
  picture.refresh();
  document.documentElement.dataset["nodes"] = String(graph.order);
  document.documentElement.dataset["edges"] = String(graph.size);
  const unplaced = fresh.filter((id) => !graph.getNodeAttribute(id, "ghost"));
  if (!begun && unplaced.length && graph.findNode((_id, data) => data.stored === true) === undefined) arrange();
  else if (fresh.length) arrange(Math.min(120, 20 + fresh.length));
}

function arrange(steps = graph.order > 4000 ? 260 : 420): void {
  press("arrange", true);
  layout.start(steps);
}

const refresh = settle(() => void load().catch(complain), 60);

async function savePositions(): Promise<void> {
  const positions = graph.mapNodes((id, data) => ({ id, x: Math.round(data.x * 100) / 100, y: Math.round(data.y * 100) / 100, ghost: data.ghost }))
    .filter((place) => !place.ghost).map(({ id, x, y }) => ({ id, x, y }));
  if (positions.length) await call("PUT", "/graph/positions", {}, { positions }).catch(() => undefined);
}

async function expand(id: string): Promise<void> {
  try {
    const sent = await get<Columns>("/graph", { compact: true, nodes: id, depth: 1, limit: 500 });
    after(model.merge(sent, false), true);
  } catch (error) {
    complain(error);
  }
}

// --- what is chosen ---------------------------------------------------------------------------------------------------

/** Chooses a node, fetching its surroundings where the picture lacks it; a block stands for its section. */
async function open(id: string): Promise<void> {
  if (!graph.hasNode(id)) {
    await expand(id);
    if (!graph.hasNode(id)) {
      const view = await get<NodeView>(`/nodes/${encode(id)}`, { depth: 0 }).catch((error: unknown) => { complain(error); return null; });
      const above = view?.breadcrumb.map((crumb) => crumb.id).reverse().find((crumb) => graph.hasNode(crumb));
      if (above === undefined) return void panel.show(id);
      id = above;
    }
  }
  const shown = choose(id);
  centre(id);
  void shown.then(() => { if (picture.chosen === id) centre(id); });
}

/** Brings a node into sight once the panel has its place. */
function centre(id: string): void {
  requestAnimationFrame(() => picture.centre(id, find("panel").hidden ? undefined : find("panel").getBoundingClientRect()));
}

function choose(id: string | null): Promise<void> {
  let shown = Promise.resolve();
  picture.choose(id);
  aim();
  tree.follow(id);
  document.body.classList.toggle("reading", id !== null);
  if (id === null) panel.close();
  else {
    const data = graph.getNodeAttributes(id);
    find("chosen").textContent = `${data.full}, ${data.kind}, ${data.degree} edges`;
    if (data.ghost) panel.showGhost(id, data);
    else shown = panel.show(id);
  }
  const hash = id === null || id.startsWith("ghost:") ? "" : `#node=${encodeURIComponent(id)}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
  return shown;
}

async function followLabel(label: string, from: string): Promise<void> {
  const name = label.split("#")[0]!.split("/").pop()!.replace(/\.(md|markdown|mdx|html?)$/i, "").trim().toLowerCase();
  const linked = graph.hasNode(from)
    ? graph.outNeighbors(from).find((id) => graph.getNodeAttribute(id, "full").trim().toLowerCase() === name) : undefined;
  const known = linked ?? graph.findNode((_id, data) => data.full.trim().toLowerCase() === name
    || data.source.split("/").pop()!.replace(/\.\w+$/, "").toLowerCase() === name && data.kind === "document");
  if (known !== undefined) return open(known);
  const found = await findHits(label, 1).catch(() => ({ hits: [] }));
  if (found.hits[0] !== undefined) await open(found.hits[0].id);
}

/** Shows only what is near a node, or all again. */
function focus(id: string): void {
  filters.depth = filters.near === null ? 2 : 0;
  if (!filters.depth) filters.near = null;
  picture.chosen = id;
  aim();
  picture.refresh();
}

function aim(): void {
  const at = picture.chosen;
  filters.near = filters.depth && at !== null && graph.hasNode(at)
    ? model.reach(at, filters.depth, (edge) => filters.shownEdge(edge, graph.getEdgeAttributes(edge))) : null;
  document.body.classList.toggle("filtered", filters.active);
}

// --- what is told -----------------------------------------------------------------------------------------------------

function complain(error: unknown): void {
  banner(tell(error), "wrong");
}

function banner(text: string, kind = ""): void {
  const box = find("banner");
  box.hidden = text === "";
  box.textContent = text;
  box.dataset["kind"] = kind;
}

function showEmpty(): void {
  const card = find("empty");
  card.hidden = model.figures.totalNodes > 0 || graph.order > 0;
  if (card.hidden) return;
  card.replaceChildren(make("h2", {}, "Nothing is remembered yet"),
    make("p", {}, "Compile a folder of notes, or store a fact. It appears here at once."),
    make("pre", {}, "remem compile notes/\nremem store \"The deploy key rotates on Fridays.\""));
}

// --- keys, buttons, colours -------------------------------------------------------------------------------------------

function setTheme(theme: string | null): void {
  if (theme === null) document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset["theme"] = theme;
  picture.recolour();
}

function changeTheme(): void {
  const dark = document.documentElement.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = dark === "dark" ? "light" : "dark";
  localStorage.setItem(THEME, next);
  setTheme(next);
}

function press(id: string, pressed: boolean): void {
  find(id).setAttribute("aria-pressed", String(pressed));
}

function zoom(direction: 1 | -1 | 0): void {
  const camera = picture.sigma.getCamera();
  if (direction === 0) void camera.animatedReset({ duration: 300 });
  else void (direction === 1 ? camera.animatedZoom({ duration: 180 }) : camera.animatedUnzoom({ duration: 180 }));
}

/** The neighbour that lies most in a direction from the chosen node. */
function step(x: number, y: number): void {
  const from = picture.chosen;
  if (from === null || !graph.hasNode(from)) {
    const first = graph.findNode((id, data) => filters.shownNode(id, data));
    if (first !== undefined) void choose(first);
    return;
  }
  const here = picture.sigma.getNodeDisplayData(from)!;
  let best: string | null = null, most = -Infinity;
  for (const id of graph.neighbors(from)) {
    if (!filters.shownNode(id, graph.getNodeAttributes(id))) continue;
    const there = picture.sigma.getNodeDisplayData(id)!;
    const dx = there.x - here.x, dy = there.y - here.y, far = Math.hypot(dx, dy) || 1e-9;
    const along = (dx * x + dy * y) / far;
    const worth = along - 0.1 * far;
    if (along > 0 && worth > most) { most = worth; best = id; }
  }
  if (best !== null) { void choose(best); centre(best); }
}

const STEPS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function pressKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || find<HTMLDialogElement>("dialog").open) return;
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement;
  if (typing && event.key !== "Escape") return;
  const at = picture.chosen, onGraph = document.activeElement === find("graph");
  if (event.key === "/") finder.focus();
  else if (event.key === "Escape") { if (document.body.classList.contains("side-open")) openSide(false); else { void choose(null); filters.depth = 0; aim(); picture.refresh(); } }
  else if (event.key === "?") void showHelp();
  else if (event.key === "t") changeTheme();
  else if (event.key === "e" && at !== null) void expand(at);
  else if (event.key === "f" && at !== null) focus(at);
  else if (event.key === "+" || event.key === "=") zoom(1);
  else if (event.key === "-") zoom(-1);
  else if (event.key === "0") zoom(0);
  else if (onGraph && event.key in STEPS) step(...STEPS[event.key]!);
  else if (onGraph && event.key === "Enter" && at !== null) find("panel").querySelector<HTMLElement>("h2")?.focus();
  else return;
  event.preventDefault();
}

function openSide(open: boolean): void {
  document.body.classList.toggle("side-open", open);
  find("open-side").setAttribute("aria-expanded", String(open));
}

function chooseTab(name: "tree" | "filters"): void {
  for (const [tab, pane, of] of [["tab-tree", "tree-pane", "tree"], ["tab-filters", "filter-pane", "filters"]] as const) {
    find(tab).setAttribute("aria-selected", String(of === name));
    find(tab).tabIndex = of === name ? 0 : -1;
    find(pane).hidden = of !== name;
  }
}

function bind(): void {
  picture.sigma.on("clickNode", ({ node }) => void choose(node));
  picture.sigma.on("doubleClickNode", ({ node, preventSigmaDefault }) => { preventSigmaDefault(); void expand(node); });
  picture.sigma.on("clickStage", () => void choose(null));
  find("zoom-in").onclick = () => zoom(1);
  find("zoom-out").onclick = () => zoom(-1);
  find("zoom-fit").onclick = () => zoom(0);
  find("arrange").onclick = () => { if (layout.running) { layout.stop(); press("arrange", false); void savePositions(); } else arrange(); };
  find("theme").onclick = changeTheme;
  find("help").onclick = () => void showHelp();
  find("open-side").onclick = () => openSide(!document.body.classList.contains("side-open"));
  find("tab-tree").onclick = () => chooseTab("tree");
  find("tab-filters").onclick = () => chooseTab("filters");
  for (const id of ["tab-tree", "tab-filters"]) {
    find(id).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = id === "tab-tree" ? "filters" : "tree";
      chooseTab(other);
      find(`tab-${other}`).focus();
    });
  }
  document.addEventListener("keydown", pressKey);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => picture.recolour());
  window.addEventListener("hashchange", () => void openHash());
}

async function openHash(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const id = wanted.get("node");
  if (wanted.has("depth")) panel.depth = Math.max(1, Math.min(5, Number(wanted.get("depth")) || 1));
  if (id !== null && id !== picture.chosen) await open(id);
}

async function begin(): Promise<void> {
  setTheme(localStorage.getItem(THEME));
  bind();
  filters.draw();
  try {
    await load();
    await openHash();
  } catch (error) {
    complain(error);
  }
  document.documentElement.dataset["ready"] = "true";
  await follow({
    changed: (change) => { if (change !== model.figures.change) { refresh(); void panel.renew(); } },
    lost: () => banner("The service went away. The picture stays; it is tried again.", "lost"),
    back: () => { banner(""); refresh(); void panel.renew(); },
  });
}

void begin();
