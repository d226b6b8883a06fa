// The page: joins the graph, the tree, the search and the panel, and follows the store.

import { ApiError, encode, get, keepKey, setKeyAsker, tell, type Query } from "./api";
import { askKey, showHelp } from "./dialogs";
import { clip, count, find, make, settle } from "./elements";
import { Filters } from "./filters";
import { banner, bannerKind, bindSide, changeTheme, isSideOpen, openSide, press, readTheme, setTheme, showEmpty, showLegend, tellAway } from "./frame";
import { free } from "./free";
import { Layout } from "./layout";
import { findNamed, findTarget } from "./links";
import { follow } from "./live";
import { Loader } from "./loader";
import { GHOST, Model } from "./model";
import { Panel } from "./panel";
import { drawPending } from "./pending";
import { Picture } from "./picture";
import { makeSaver } from "./places";
import { SearchBox } from "./search";
import type { NodeView } from "./shapes";
import { Tree } from "./tree";
import { Turns } from "./turns";

/** Milliseconds that the graph waits to be loaded, at most, until changes are told. */
const LONGEST_BEGIN = 2000;
/** Kinds of nodes that the picture holds, where it holds the whole store. */
const DRAWN = new Set(["document", "heading", "memory", "entity"]);
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
  get cover() { return find("panel").hidden ? undefined : find("panel").getBoundingClientRect(); },
  partsOf: (id) => model.listParts(id),
});
const savePlaces = makeSaver(graph);
const layout = new Layout(graph, {
  get scale() { return picture.scale; },
  get cost() { return picture.cost; },
  moved: () => picture.refresh(),
  rested: () => { press("arrange", false); void savePlaces(); },
  failed: () => press("arrange", false),
});
const loader = new Loader(model, {
  merged: (fresh, begun) => after(fresh, begun),
  failed: (error) => complain(error, "stale"),
  recovered: () => { if (bannerKind() === "stale") banner(""); },
});
const tree = new Tree(find("tree-pane"), model, (id) => { if (isSideOpen()) openSide(false); void open(id); });
const panel = new Panel(find("panel"), {
  open: (id) => void open(id),
  follow: (label, from) => void followLabel(label, from),
  closed: () => { void choose(null); find("graph").focus({ preventScroll: true }); },
  showWay: (nodes) => picture.showWay(nodes.map(standIn)),
  expand: (id) => void expand(id).catch(complain),
  focus: (id) => focus(id),
  nameOf: (id) => (graph.hasNode(id) ? graph.getNodeAttribute(id, "full") : ""),
  kindOf: (id) => (graph.hasNode(id) ? graph.getNodeAttribute(id, "kind") : ""),
  changed: () => loader.refresh(),
  complain: (error) => complain(error),
  get walk(): Query | null { return filters.walk; },
});
const finder = new SearchBox({ open: (id) => void open(id) });
const relate = settle(() => void panel.relate(), 200);
/** What the person does that decides which node is chosen: what came of an earlier act comes too late. */
const acts = new Turns();
/** The turn in which nothing that the person did is on its way. */
let atRest = acts.now;

/** The node of the picture for an id of a path: a path may begin at a heading whose document stands for it. */
function standIn(id: string): string {
  return graph.hasNode(id) || picture.chosen === null ? id : picture.chosen;
}

// --- what is loaded ---------------------------------------------------------------------------------------------------

function after(fresh: readonly string[], begun: boolean): void {
  const first = document.documentElement.dataset["nodes"] === undefined;
  showEmpty(model.figures.totalNodes === 0 && graph.order === 0);
  filters.renew();
  drawPending(find("pending-pane"), model, (id) => { if (isSideOpen()) openSide(false); void open(id); });
  const at = picture.chosen ?? panel.shown;
  if (at !== null) keepChosen(at);
  aim();
  tellFigures();
  tree.refresh();
  picture.redraw();
  document.documentElement.dataset["nodes"] = String(graph.order);
  document.documentElement.dataset["edges"] = String(graph.size);
  const notes = fresh.filter((id) => !graph.getNodeAttribute(id, "ghost")).length;
  if (notes > 0.3 * graph.order) arrange();
  else if (fresh.length) arrangeFresh(fresh, begun);
  if (first && document.documentElement.dataset["ready"] === "true") void openHash();
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

/** Stays with what was chosen. Where it is no longer there, a ghost may have been written meanwhile. */
function keepChosen(id: string): void {
  const there = graph.hasNode(id), ghost = id.startsWith(GHOST);
  if (there !== (picture.chosen !== null)) picture.choose(there ? id : null);
  if (there && ghost) panel.showGhost(id, graph.getNodeAttributes(id));
  else if (ghost) void followWritten(id.slice(GHOST.length)).catch(complain);
}

/** Opens what was written under the name of a ghost, unless somebody goes elsewhere. Raises ApiError. */
async function followWritten(name: string): Promise<void> {
  const turn = acts.now;
  if (turn !== atRest) return;
  const id = await findNamed(name);
  if (turn.aborted) return;
  if (id === null) panel.showUnwanted(name);
  else await reach(id);
}

function arrange(): void {
  press("arrange", true);
  layout.arrange(graph.order > 4000 ? 160 : 420);
}

/** Finds places for what is new; all else stays where it is. */
function arrangeFresh(fresh: readonly string[], begun: boolean): void {
  press("arrange", true);
  layout.add(fresh, begun ? 80 : 50);
}

/** Fetches a node's neighbours where they are missing, and points them out. Raises ApiError. */
async function expand(id: string): Promise<void> {
  const turn = acts.now;
  if (model.figures.truncated) await loader.bring(id);
  if (turn.aborted || !graph.hasNode(id)) return;
  filters.near = filters.near && new Set([...filters.near, ...graph.neighbors(id)]);
  picture.showStar(id);
}

// --- what is chosen ---------------------------------------------------------------------------------------------------

/** Opens a node because the person wants it. */
function open(wanted: string): Promise<void> {
  finder.forget();
  return reach(wanted);
}

/** Chooses a node, fetching its surroundings where the picture lacks it; a block stands for its section. */
async function reach(wanted: string): Promise<void> {
  const turn = acts.next();
  let id = wanted;
  try {
    if (!graph.hasNode(id)) id = await locate(wanted, turn).finally(free);
  } catch (error) {
    if (!turn.aborted) giveUp(turn, error);
  }
  if (turn.aborted || turn === atRest) return;
  const shown = choose(id), chosen = acts.now, { offsetHeight } = find("panel");
  centre(id);
  await shown;
  // Only a panel that has grown over the picture is a reason to move it again.
  if (!chosen.aborted && find("panel").offsetHeight !== offsetHeight) centre(id);
}

/** The node of the picture that stands for an id or label, else its own id. Raises ApiError. */
async function locate(wanted: string, turn: AbortSignal): Promise<string> {
  const view = await get<NodeView>(`/nodes/${encode(wanted)}`, { depth: 0 }, turn);
  const above = view.breadcrumb.map((crumb) => crumb.id).reverse();
  if (!graph.hasNode(view.id)) {
    if (model.figures.truncated) await loader.bring(view.id);
    else if (DRAWN.has(view.kind)) await loader.load();
  }
  return [view.id, ...above].find((id) => graph.hasNode(id)) ?? view.id;
}

/** Brings a node into sight once the panel has its place. */
function centre(id: string): void {
  requestAnimationFrame(() => picture.centre(id));
}

/** Tells why an act came to nothing. */
function giveUp(turn: AbortSignal, error: unknown): void {
  atRest = turn;
  complain(error);
}

/** Chooses a node, or none. What the picture does not know is read in the panel alone. */
function choose(id: string | null): Promise<void> {
  atRest = acts.next();
  const data = id !== null && graph.hasNode(id) ? graph.getNodeAttributes(id) : null;
  picture.choose(data === null ? null : id);
  if (aim()) tellFigures();
  tree.follow(id);
  document.body.classList.toggle("reading", id !== null);
  find("chosen").textContent = data === null ? ""
    : `${data.full}, ${data.ghost ? "waits to be written" : data.kind}, ${count(graph.degree(id))} edges`;
  if (bannerKind() !== "stale") banner("");
  const hash = id === null || id.startsWith(GHOST) ? "" : `#node=${encodeURIComponent(id)}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
  if (id !== null && !data?.ghost) return panel.show(id);
  if (id === null || data === null) panel.close();
  else panel.showGhost(id, data);
  return Promise.resolve();
}

async function followLabel(label: string, from: string): Promise<void> {
  const turn = acts.next();
  finder.forget();
  try {
    const found = await findTarget(model, label, from);
    if (turn.aborted) return;
    if (found !== null) return await reach(found);
    atRest = turn;
    banner(`Nothing is called ${clip(label, 80)} yet.`);
  } catch (error) {
    if (!turn.aborted) giveUp(turn, error);
  }
}

/** Shows only what is near a node, or all again. */
function focus(id: string): void {
  if (!graph.hasNode(id)) return;
  picture.choose(id);
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

function complain(error: unknown, kind = "wrong"): void {
  if (error instanceof ApiError && error.status === 401) askAgain();
  else banner(tell(error), kind);
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
  const from = picture.chosen, here = from === null || !graph.hasNode(from) ? undefined : picture.placeOf(from);
  if (from === null || here === undefined) return chooseFirst();
  let best: string | null = null, most = -Infinity;
  for (const id of graph.neighbors(from)) {
    const there = picture.placeOf(id);
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
    // Two quick clicks may be on two nodes.
    if (node !== picture.chosen) void choose(node);
    else if (!node.startsWith(GHOST)) void expand(node).catch(complain);
  });
  picture.sigma.on("clickStage", () => void choose(null));
  find("zoom-in").onclick = () => zoom(1);
  find("zoom-out").onclick = () => zoom(-1);
  find("zoom-fit").onclick = () => zoom(0);
  find("arrange").onclick = () => { if (layout.running) { layout.stop(); press("arrange", false); void savePlaces(); } else arrange(); };
  find("theme").onclick = () => { changeTheme(); picture.recolour(); };
  find("help").onclick = () => void showHelp();
  find("near-depth").oninput = (event) => setDepth(Number((event.target as HTMLInputElement).value));
  find("near-all").onclick = () => setDepth(0);
  bindSide();
  document.addEventListener("keydown", pressKey);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => picture.recolour());
  // Tells of an address that is gone to again as well, which `hashchange` does not.
  window.addEventListener("popstate", () => void openHash());
}

async function openHash(): Promise<void> {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const id = wanted.get("node");
  if (wanted.has("depth")) panel.relations.depth = Math.max(1, Math.min(5, Math.round(Number(wanted.get("depth"))) || 1));
  if (id === null || id === "") return;
  if (id === panel.shown) atRest = acts.next();
  else await open(id);
}

/** Begins to listen; resolves once it is known whether anybody answers. What changes from then on is told. */
function listen(): Promise<void> {
  return new Promise((resolve) => {
    let loading = false;
    const renew = (): void => { finder.outdate(); loader.refresh(); void panel.renew(); };
    const begin = (): void => { loading = true; resolve(); };
    window.setTimeout(begin, LONGEST_BEGIN);
    void follow({
      opened: () => { tellAway(false); if (loading) renew(); else begin(); },
      changed: renew,
      lost: () => { tellAway(true); begin(); },
      locked: () => { tellAway(false); askAgain(); begin(); },
    });
  });
}

async function begin(): Promise<void> {
  setTheme(readTheme());
  picture.recolour();
  bind();
  filters.draw();
  await listen();
  await loader.first();
  await openHash();
  document.documentElement.dataset["ready"] = "true";
}

void begin();
