// The page: joins the graph, the tree, the search and the panel, and follows the store.

import { ApiError, call, encode, get, keepKey, setKeyAsker, type Query } from "./api";
import { askKey, showHelp } from "./dialogs";
import { clip, count, find, make, settle } from "./elements";
import { Filters } from "./filters";
import { banner, bindSide, changeTheme, isSideOpen, openSide, press, readTheme, setTheme, showEmpty, showLegend } from "./frame";
import { Layout } from "./layout";
import { findTarget } from "./links";
import { follow } from "./live";
import { GHOST, Model } from "./model";
import { Panel, tell } from "./panel";
import { drawPending } from "./pending";
import { Picture } from "./picture";
import { SearchBox } from "./search";
import type { Columns, NodeView } from "./shapes";
import { Tree } from "./tree";

const MOST = 10_000;
const MOST_PLACED = 20_000;
/** Nodes that were brought into the picture of a store larger than it; more are let go, oldest first. */
const MOST_BROUGHT = 30;
const model = new Model();
const { graph } = model;

setKeyAsker(async (refused) => {
  const given = await askKey(refused);
  if (given !== null) keepKey(...given);
  return given?.[0] ?? null;
});

const filters = new Filters(find("filters-pane"), model, () => { aim(); tellFigures(); picture.refresh(); showLegend(filters.heat); relate(); });
const picture = new Picture(graph, find("graph"), {
  shownNode: (id, data) => filters.shownNode(id, data),
  shownEdge: (id, data) => filters.shownEdge(id, data),
  get heat() { return filters.heat; },
  partsOf: (id) => model.listParts(id),
});
const layout = new Layout(graph, {
  get scale() { return picture.scale; },
  moved: () => picture.refresh(),
  rested: () => { press("arrange", false); void savePositions(); },
});
const tree = new Tree(find("tree-pane"), model, (id) => { if (isSideOpen()) openSide(false); void open(id); });
const panel = new Panel(find("panel"), {
  open: (id) => void open(id),
  follow: (label, from) => void followLabel(label, from),
  closed: () => { void choose(null); find("graph").focus({ preventScroll: true }); },
  showWay: (nodes) => picture.showWay(nodes.map(standIn)),
  expand: (id) => void expand(id).catch(complain),
  focus: (id) => focus(id),
  nameOf: (id) => (graph.hasNode(id) ? graph.getNodeAttribute(id, "full") : id),
  changed: () => refresh(),
  get walk(): Query | null { return filters.walk; },
});
const finder = new SearchBox({ open: (id) => void open(id) });
const relate = settle(() => void panel.relate(), 200);

/** The node of the picture for an id of a path: a path may begin at a heading whose document stands for it. */
function standIn(id: string): string {
  return graph.hasNode(id) || picture.chosen === null ? id : picture.chosen;
}

// --- what is loaded ---------------------------------------------------------------------------------------------------

let loads = 0;
const brought = new Set<string>();

async function load(): Promise<void> {
  const number = ++loads;
  const sent = await get<Columns>("/graph", { compact: true, limit: MOST });
  const around = sent.truncated ? await Promise.all([...brought].map((id) => fetchAround(id).catch(() => null))) : [];
  if (number !== loads) return;
  const begun = graph.order > 0;
  const fresh = model.merge(sent, true);
  for (const part of around) if (part !== null) fresh.push(...model.merge(part, false));
  after(fresh, begun);
}

const fetchAround = (id: string): Promise<Columns> => get<Columns>("/graph", { compact: true, nodes: id, depth: 1, limit: 500 });

function after(fresh: readonly string[], begun: boolean): void {
  showEmpty(model.figures.totalNodes === 0 && graph.order === 0);
  filters.renew();
  drawPending(find("pending-pane"), model, (id) => { if (isSideOpen()) openSide(false); void open(id); });
  const at = picture.chosen;
  if (at !== null && !graph.hasNode(at)) leaveLost(at);
  aim();
  tellFigures();
  tree.refresh();
  picture.refresh();
  document.documentElement.dataset["nodes"] = String(graph.order);
  document.documentElement.dataset["edges"] = String(graph.size);
  const notes = fresh.filter((id) => !graph.getNodeAttribute(id, "ghost")).length;
  if (notes > 0.3 * graph.order) arrange();
  else if (fresh.length) arrangeFresh(fresh, begun);
}

function tellFigures(): void {
  const { figures } = model;
  let ghosts = 0, shown = 0;
  graph.forEachNode((id, data) => {
    if (data.ghost) ghosts++;
    else if (!filters.active || filters.shownNode(id, data)) shown++;
  });
  const part = filters.active || figures.truncated ? `${count(shown)} of ` : "";
  find("figures").textContent =
    `${part}${count(figures.totalNodes)} nodes · ${count(figures.totalEdges)} edges${ghosts ? ` · ${count(ghosts)} waiting` : ""}`;
  find("figures").title = figures.truncated ? "The store is larger than the picture: what is linked most is shown. Search and Expand bring in the rest." : "";
}

/** What was chosen is no longer there: a ghost may have been written meanwhile. */
function leaveLost(id: string): void {
  picture.choose(null);
  if (id.startsWith(GHOST)) void followLabel(id.slice(GHOST.length), "");
}

function arrange(): void {
  press("arrange", true);
  layout.start(graph.order > 4000 ? 160 : 420);
}

/** Finds places for what is new; all else stays where it is. */
function arrangeFresh(fresh: readonly string[], begun: boolean): void {
  if (layout.running) return arrange();
  press("arrange", true);
  layout.start(begun ? 80 : 50, new Set(fresh));
}

const refresh = settle(() => void load().catch(complain), 60);

async function savePositions(): Promise<void> {
  const round = (value: number): number => Math.round(value * 100) / 100;
  const positions = graph.filterNodes((_id, data) => !data.ghost && moved(data)).slice(0, MOST_PLACED).map((id) => {
    const { x, y } = graph.getNodeAttributes(id);
    return { id, x: round(x), y: round(y) };
  });
  if (!positions.length) return;
  // Where it fails, the next time that the nodes rest will do.
  const done = await call("PUT", "/graph/positions", {}, { positions }).then(() => true, () => false);
  for (const { id, x, y } of done ? positions : []) if (graph.hasNode(id)) graph.mergeNodeAttributes(id, { stored: true, storedX: x, storedY: y });
}

const moved = (data: { x: number; y: number; storedX?: unknown; storedY?: unknown }): boolean =>
  Math.abs(data.x - Number(data.storedX)) > 0.01 || Math.abs(data.y - Number(data.storedY)) > 0.01 || data.storedX === undefined;

/** Fetches a node's neighbours where they are missing, and points them out. Raises ApiError. */
async function expand(id: string): Promise<void> {
  if (model.figures.truncated) await bring(id);
  if (!graph.hasNode(id)) return;
  filters.near = filters.near && new Set([...filters.near, ...graph.neighbors(id)]);
  picture.showStar(id);
  picture.refresh();
}

/** Fetches a node and what is around it. Raises ApiError. */
async function bring(id: string): Promise<void> {
  const begun = graph.order > 0;
  const sent = await fetchAround(id);
  brought.add(id);
  if (brought.size > MOST_BROUGHT) brought.delete([...brought][0]!);
  after(model.merge(sent, false), begun);
}

// --- what is chosen ---------------------------------------------------------------------------------------------------

let opening = 0;

/** Chooses a node, fetching its surroundings where the picture lacks it; a block stands for its section. */
async function open(wanted: string): Promise<void> {
  const number = ++opening;
  const id = graph.hasNode(wanted) ? wanted : await locate(wanted).catch((error: unknown) => { complain(error); return null; });
  if (id === null || number !== opening) return;
  if (!graph.hasNode(id)) return void panel.show(id);
  const shown = choose(id);
  centre(id);
  await shown;
  if (picture.chosen === id) centre(id);
}

/** The node of the picture that stands for an id or label. Raises ApiError. */
async function locate(wanted: string): Promise<string> {
  const view = await get<NodeView>(`/nodes/${encode(wanted)}`, { depth: 0 });
  if (model.figures.truncated && !graph.hasNode(view.id)) await bring(view.id);
  return [view.id, ...view.breadcrumb.map((crumb) => crumb.id).reverse()].find((id) => graph.hasNode(id)) ?? view.id;
}

/** Brings a node into sight once the panel has its place. */
function centre(id: string): void {
  requestAnimationFrame(() => picture.centre(id, find("panel").hidden ? undefined : find("panel").getBoundingClientRect()));
}

function choose(id: string | null): Promise<void> {
  let shown = Promise.resolve();
  picture.choose(id);
  if (aim()) { tellFigures(); picture.refresh(); }
  tree.follow(id);
  document.body.classList.toggle("reading", id !== null);
  find("chosen").textContent = "";
  if (find("banner").dataset["kind"] !== "lost") banner("");
  if (id === null) panel.close();
  else {
    const data = graph.getNodeAttributes(id);
    find("chosen").textContent = `${data.full}, ${data.ghost ? "waits to be written" : data.kind}, ${count(graph.degree(id))} edges`;
    if (data.ghost) panel.showGhost(id, data);
    else shown = panel.show(id);
  }
  const hash = id === null || id.startsWith(GHOST) ? "" : `#node=${encodeURIComponent(id)}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
  return shown;
}

async function followLabel(label: string, from: string): Promise<void> {
  const found = await findTarget(model, label, from);
  if (found !== null) await open(found);
  else banner(`Nothing is called ${clip(label, 80)} yet.`);
}

/** Shows only what is near a node, or all again. */
function focus(id: string): void {
  picture.chosen = id;
  setDepth(filters.near === null ? 2 : 0);
}

/** Finds anew what is near the chosen node where only that is shown; whether anything else is shown now. */
function aim(): boolean {
  const at = picture.chosen, before = filters.near;
  if (!filters.depth) filters.near = null;
  else if (at !== null && graph.hasNode(at)) {
    filters.near = model.reach(at, filters.depth, (edge) => filters.shownEdge(edge, graph.getEdgeAttributes(edge)));
  }
  document.body.classList.toggle("filtered", filters.active);
  find("near").hidden = filters.near === null;
  if (at !== null && graph.hasNode(at)) find("near-name").textContent = clip(graph.getNodeAttribute(at, "full"), 40);
  find<HTMLInputElement>("near-depth").value = String(filters.depth || 2);
  find("near-told").textContent = String(filters.depth);
  return before !== filters.near;
}

function setDepth(depth: number): void {
  filters.depth = depth;
  aim();
  tellFigures();
  picture.refresh();
  requestAnimationFrame(() => picture.fit());
}

function complain(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) askAgain();
  else banner(tell(error), "wrong");
}

function askAgain(): void {
  banner("This store asks for a key. ", "wrong", make("button", { class: "small", id: "ask-key", onclick: () => location.reload() }, "Enter the key"));
}

// --- keys and buttons -------------------------------------------------------------------------------------------------

function zoom(direction: 1 | -1 | 0): void {
  const camera = picture.sigma.getCamera();
  if (direction === 0) void camera.animatedReset({ duration: 300 });
  else void (direction === 1 ? camera.animatedZoom({ duration: 180 }) : camera.animatedUnzoom({ duration: 180 }));
}

/** Goes to the neighbour that lies most in a direction from the chosen node. */
function step(x: number, y: number): void {
  const from = picture.chosen, here = from === null || !graph.hasNode(from) ? undefined : picture.sigma.getNodeDisplayData(from);
  if (from === null || here === undefined) return chooseFirst();
  let best: string | null = null, most = -Infinity;
  for (const id of graph.neighbors(from)) {
    const there = picture.sigma.getNodeDisplayData(id);
    if (there === undefined || !filters.shownNode(id, graph.getNodeAttributes(id))) continue;
    const dx = there.x - here.x, dy = there.y - here.y, far = Math.hypot(dx, dy) || 1e-9;
    const along = (dx * x + dy * y) / far, worth = along - 0.1 * far;
    if (along > 0 && worth > most) { most = worth; best = id; }
  }
  if (best !== null) { void choose(best); centre(best); }
}

/** Chooses the node with most edges of those shown. */
function chooseFirst(): void {
  let best: string | null = null, most = -1;
  graph.forEachNode((id, data) => { if (data.degree > most && filters.shownNode(id, data)) { best = id; most = data.degree; } });
  if (best !== null) { void choose(best); centre(best); }
}

const STEPS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function escape(): void {
  if (isSideOpen()) return openSide(false);
  if (find("panel").contains(document.activeElement)) find("graph").focus({ preventScroll: true });
  filters.depth = 0;
  void choose(null);
}

function pressKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || find<HTMLDialogElement>("dialog").open) return;
  const typing = event.target instanceof Element && event.target.matches("input:not([type=checkbox], [type=range]), select, textarea");
  if (typing && event.key !== "Escape") return;
  const at = picture.chosen, onGraph = document.activeElement === find("graph");
  const note = at !== null && !at.startsWith(GHOST) ? at : null;
  if (event.key === "/") finder.focus();
  else if (event.key === "Escape") escape();
  else if (event.key === "?") void showHelp();
  else if (event.key === "t") { changeTheme(); picture.recolour(); }
  else if (event.key === "e" && note !== null) void expand(note).catch(complain);
  else if (event.key === "f" && at !== null) focus(at);
  else if (event.key === "+" || event.key === "=") zoom(1);
  else if (event.key === "-") zoom(-1);
  else if (event.key === "0") zoom(0);
  else if (onGraph && event.key in STEPS) step(...STEPS[event.key]!);
  else if (onGraph && event.key === "Enter") { if (at === null) chooseFirst(); else find("panel").querySelector<HTMLElement>("h2")?.focus(); }
  else return;
  event.preventDefault();
}

function bind(): void {
  picture.sigma.on("clickNode", ({ node }) => void choose(node));
  picture.sigma.on("doubleClickNode", ({ node, preventSigmaDefault }) => {
    preventSigmaDefault();
    if (!node.startsWith(GHOST)) void expand(node).catch(complain);
  });
  picture.sigma.on("clickStage", () => void choose(null));
  find("zoom-in").onclick = () => zoom(1);
  find("zoom-out").onclick = () => zoom(-1);
  find("zoom-fit").onclick = () => zoom(0);
  find("arrange").onclick = () => { if (layout.running) { layout.stop(); press("arrange", false); void savePositions(); } else arrange(); };
  find("theme").onclick = () => { changeTheme(); picture.recolour(); };
  find("help").onclick = () => void showHelp();
  find("near-depth").oninput = (event) => setDepth(Number((event.target as HTMLInputElement).value));
  find("near-all").onclick = () => setDepth(0);
  bindSide();
  document.addEventListener("keydown", pressKey);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => picture.recolour());
  window.addEventListener("hashchange", () => void openHash());
}

async function openHash(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const id = wanted.get("node");
  if (wanted.has("depth")) panel.depth = Math.max(1, Math.min(5, Math.round(Number(wanted.get("depth"))) || 1));
  if (id !== null && id !== "" && id !== picture.chosen) await open(id);
}

async function begin(): Promise<void> {
  setTheme(readTheme());
  picture.recolour();
  bind();
  filters.draw();
  try {
    await load();
    await openHash();
  } catch (error) {
    complain(error);
  }
  document.documentElement.dataset["ready"] = "true";
  const renew = (): void => { refresh(); void panel.renew(); };
  await follow({
    changed: renew,
    lost: () => banner("The service went away. The picture stays; it is tried again.", "lost"),
    back: () => { banner(""); renew(); },
    locked: askAgain,
  });
}

void begin();
