// The picture: sigma over the model, with what is hidden, chosen, hovered. Fetches nothing.

import { createNodeBorderProgram } from "@sigma/node-border";
import Sigma from "sigma";
import type { Settings } from "sigma/settings";
import { EdgeArrowProgram, EdgeLineProgram, EdgeRectangleProgram, NodeCircleProgram } from "sigma/rendering";
import { mix, readPalette, type Palette } from "./colours";
import type { EdgeData, Graph, NodeData } from "./model";
import { Names } from "./names";

export interface View {
  shownNode(id: string, data: NodeData): boolean;
  shownEdge(id: string, data: EdgeData): boolean;
  heat: boolean;
  /** What lies over the picture. */
  readonly cover: DOMRect | undefined;
  /** A node and all sections below it. */
  partsOf(id: string): string[];
}

/** How much of an edge's colour stands over the ground, by its origin. */
const STRENGTHS: Record<string, number> = { manual: 0.9, parsed: 0.5, discovered: 0.36, mentioned: 0.22, tree: 1 };
/** With more nodes, pointing at one does not make the others step back: all would have to be drawn anew. */
const MANY = 3000;
/** More edges are drawn as hairs without heads, and not at all while the picture moves: only so it stays smooth. */
const MANY_EDGES = 12_000;
const LABEL_SIZE = 5.4;

const Ring = createNodeBorderProgram({
  borders: [
    { size: { value: 0.28 }, color: { attribute: "color" } },
    { size: { fill: true }, color: { attribute: "inner" } },
  ],
});

export class Picture {
  readonly sigma: Sigma<NodeData, EdgeData>;
  chosen: string | null = null;
  /** Nodes and edges of the path that is shown. */
  way: { nodes: Set<string>; edges: Set<string> } | null = null;
  #palette: Palette = readPalette();
  #hovered: string | null = null;
  #near = new Set<string>();
  #tones = new Map<string, string>();
  readonly #names = new Names();
  /** What makes pixels of a node's size: the more nodes there are, the smaller they are. */
  scale = 1;
  /** Milliseconds that the last drawing took. */
  cost = 0;
  #due = 0;

  constructor(private readonly graph: Graph, container: HTMLElement, private readonly view: View) {
    this.sigma = new Sigma<NodeData, EdgeData>(graph as never, container, {
      allowInvalidContainer: true,
      defaultEdgeType: "arrow",
      defaultNodeType: "disc",
      edgeProgramClasses: { arrow: EdgeArrowProgram as never, line: EdgeRectangleProgram as never, hair: EdgeLineProgram as never },
      nodeProgramClasses: { disc: NodeCircleProgram as never, ring: Ring as never },
      hideEdgesOnMove: false,
      labelDensity: 1.4,
      labelFont: "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
      labelGridCellSize: 110,
      labelRenderedSizeThreshold: LABEL_SIZE,
      labelSize: 12,
      labelWeight: "500",
      maxCameraRatio: 12,
      minCameraRatio: 0.01,
      minEdgeThickness: 0.5,
      stagePadding: 48,
      zIndex: true,
      nodeReducer: (id, data) => this.#showNode(id, data),
      edgeReducer: (id, data) => this.#showEdge(id, data),
      defaultDrawNodeLabel: (context, data, settings) => {
        // The name of what is chosen or pointed at stands above all others.
        const { key } = data as { key?: string };
        if (key !== this.chosen && key !== this.#hovered) this.#names.add(context, data, settings.labelFont);
      },
      defaultDrawNodeHover: (context, data, settings) => this.#drawHover(context, data, settings.labelFont),
    });
    this.recolour();
    this.sigma.on("beforeRender", () => this.#names.clear());
    this.sigma.on("afterRender", () => this.#names.draw());
    new ResizeObserver(() => this.redraw()).observe(container);
    this.sigma.on("enterNode", ({ node }) => this.hover(node));
    this.sigma.on("leaveNode", () => this.hover(null));
  }

  recolour(): void {
    this.#palette = readPalette();
    this.#tones.clear();
    this.#names.ink = this.#palette.ink;
    this.#names.ground = this.#palette.ground;
    this.refresh();
  }

  /** Draws with the next frame, however often it is called until then. */
  refresh(): void {
    this.#due ||= requestAnimationFrame(() => this.redraw());
  }

  /** Draws at once: places of nodes on the screen are known only of what was drawn. */
  redraw(): void {
    cancelAnimationFrame(this.#due);
    this.#due = 0;
    const begun = performance.now();
    if (this.#hovered !== null && !this.graph.hasNode(this.#hovered)) { this.#hovered = null; this.#near = new Set(); }
    this.#rescale();
    this.sigma.refresh();
    this.cost = performance.now() - begun;
  }

  /** Where a node was drawn, in the coordinates of the camera; `undefined` where it was not. */
  placeOf(node: string): { x: number; y: number; hidden: boolean } | undefined {
    if (this.#due) this.redraw();
    return this.sigma.getNodeDisplayData(node);
  }

  #rescale(): void {
    const { clientWidth, clientHeight } = this.sigma.getContainer();
    const room = Math.sqrt(clientWidth * clientHeight / Math.max(1, this.graph.order));
    this.scale = Math.max(0.2, Math.min(1, room / 56));
    this.#set("labelRenderedSizeThreshold", LABEL_SIZE * this.scale);
    this.#set("hideEdgesOnMove", this.graph.size > MANY_EDGES);
  }

  /** Each setting that is set has everything read anew. */
  #set<K extends "labelRenderedSizeThreshold" | "hideEdgesOnMove">(name: K, value: Settings[K]): void {
    if (this.sigma.getSetting(name) !== value) this.sigma.setSetting(name, value);
  }

  hover(node: string | null): void {
    if (this.#hovered === node) return;
    const before = this.#hovered;
    this.#hovered = node !== null && this.graph.hasNode(node) ? node : null;
    this.#near = this.#hovered === null ? new Set() : new Set(this.graph.neighbors(this.#hovered));
    this.sigma.getContainer().classList.toggle("pointing", node !== null);
    if (this.graph.order <= MANY || this.#due) return this.refresh();
    const nodes = [before, this.#hovered].filter((id): id is string => id !== null && this.graph.hasNode(id));
    const edges = nodes.flatMap((id) => this.graph.edges(id));
    this.sigma.refresh({ partialGraph: { nodes, edges }, skipIndexation: true });
  }

  choose(node: string | null): void {
    this.chosen = node;
    this.way = null;
    this.refresh();
  }

  /** Lights up a way. A hop of a document may be drawn at one of its sections: then these shine too. */
  showWay(nodes: string[]): void {
    const edges = new Set<string>(), lit = new Set(nodes);
    for (let at = 1; at < nodes.length; at++) {
      const a = nodes[at - 1]!, b = nodes[at]!;
      if (!this.graph.hasNode(a) || !this.graph.hasNode(b)) continue;
      for (const edge of this.#findHop(a, b)) {
        edges.add(edge);
        for (const end of this.graph.extremities(edge)) lit.add(end);
      }
    }
    this.way = nodes.length > 1 ? { nodes: lit, edges } : null;
    this.refresh();
  }

  #findHop(a: string, b: string): string[] {
    const links = (from: string, to: string): string[] =>
      [...this.graph.edges(from, to), ...this.graph.edges(to, from)].filter((edge) => !this.graph.getEdgeAttribute(edge, "structure"));
    const near = links(a, b);
    if (near.length) return near;
    const targets = new Set(this.view.partsOf(b));
    return this.view.partsOf(a).flatMap((from) => this.graph.neighbors(from).filter((to) => targets.has(to)).flatMap((to) => links(from, to)));
  }

  /** Lights up a node with its neighbours and the edges between. */
  showStar(node: string): void {
    if (!this.graph.hasNode(node)) return;
    this.way = { nodes: new Set([node, ...this.graph.neighbors(node)]), edges: new Set(this.graph.edges(node)) };
    this.refresh();
  }

  /** Moves the camera so that a node stands in the middle of what is not covered of the picture. */
  centre(node: string): void {
    const place = this.placeOf(node);
    if (place === undefined) return;
    const camera = this.sigma.getCamera(), ratio = Math.min(camera.ratio, 0.6), { cover } = this.view;
    const shift = cover === undefined ? { x: 0, y: 0 } : this.#findShift(cover, ratio);
    this.#move({ x: place.x + shift.x, y: place.y + shift.y, ratio });
  }

  /** Moves the camera so that all that is shown fills the picture. */
  fit(): void {
    let left = Infinity, right = -Infinity, top = -Infinity, bottom = Infinity;
    this.graph.forEachNode((node) => {
      const place = this.placeOf(node);
      if (place === undefined || place.hidden) return;
      left = Math.min(left, place.x); right = Math.max(right, place.x);
      bottom = Math.min(bottom, place.y); top = Math.max(top, place.y);
    });
    if (left > right) return;
    const { clientWidth, clientHeight } = this.sigma.getContainer(), side = Math.min(clientWidth, clientHeight);
    const ratio = Math.max((right - left) * side / clientWidth, (top - bottom) * side / clientHeight) * 1.2;
    this.#move({ x: (left + right) / 2, y: (top + bottom) / 2, ratio: Math.max(0.12, Math.min(1, ratio)) });
  }

  #move(aim: { x: number; y: number; ratio: number }): void {
    const camera = this.sigma.getCamera();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) camera.setState(aim);
    else void camera.animate(aim, { duration: 350 });
  }

  /** How far the camera looks past a node that stands in the middle of what is not covered. */
  #findShift(cover: DOMRect, ratio: number): { x: number; y: number } {
    const box = this.sigma.getContainer().getBoundingClientRect();
    const wide = Math.max(0, Math.min(box.right, cover.right) - Math.max(box.left, cover.left));
    const high = Math.max(0, Math.min(box.bottom, cover.bottom) - Math.max(box.top, cover.top));
    if (!wide || !high) return { x: 0, y: 0 };
    const beside = wide < 0.8 * box.width ? { x: wide / 2, y: 0 } : { x: 0, y: high / 2 };
    const cameraState = { ...this.sigma.getCamera().getState(), ratio };
    const [from, to] = [{ x: 0, y: 0 }, beside].map((point) => this.sigma.viewportToFramedGraph(point, { cameraState }));
    return { x: to!.x - from!.x, y: to!.y - from!.y };
  }

  colourOf(data: NodeData): string {
    if (this.view.heat && !data.ghost) return mix(this.#palette.hot, this.#palette.cold, Math.min(1, data.temperature));
    return this.#palette.kinds[data.kind] || this.#palette.faint;
  }

  #tone(colour: string, share: number): string {
    const key = `${colour}${share}`;
    let tone = this.#tones.get(key);
    if (tone === undefined) {
      tone = mix(colour, this.#palette.ground, share);
      this.#tones.set(key, tone);
    }
    return tone;
  }

  /** Whether something is pointed out, and this node is no part of it. */
  #stepsBack(id: string): boolean {
    if (this.#hovered !== null && this.graph.order <= MANY) return id !== this.#hovered && !this.#near.has(id);
    if (this.way !== null) return !this.way.nodes.has(id);
    return false;
  }

  #showNode(id: string, data: NodeData): object {
    const back = this.#stepsBack(id), chosen = id === this.chosen;
    const colour = this.colourOf(data);
    const front = this.way?.nodes.has(id) ?? false;
    return {
      x: data.x, y: data.y, type: data.type,
      label: back ? null : data.label,
      size: chosen ? Math.max(4, data.size * this.scale * 1.25) : data.size * this.scale,
      color: back ? this.#tone(colour, 0.18) : colour,
      inner: this.#palette.ground,
      hidden: !front && !this.view.shownNode(id, data),
      highlighted: chosen,
      forceLabel: chosen || front || id === this.#hovered,
      zIndex: chosen ? 3 : back ? 0 : 1,
    };
  }

  #showEdge(id: string, data: EdgeData): object {
    const lit = this.way?.edges.has(id) ?? false;
    if (!lit && !this.view.shownEdge(id, data)) return { hidden: true };
    const [source, target] = this.graph.extremities(id);
    const colour = data.structure ? this.#palette.line : this.#palette.types[data.relation] || this.#palette.faint;
    const many = this.graph.size > MANY_EDGES;
    const share = (data.ghost ? 0.45 : STRENGTHS[data.origin] ?? 0.5) * (many && !data.structure ? 0.4 : 1);
    const touched = this.#hovered !== null && (source === this.#hovered || target === this.#hovered);
    const size = data.size * Math.sqrt(this.scale), type = many && !touched ? "hair" : data.type;
    if (lit) return { color: this.#palette.accent, size: size + 0.8, type: data.type, hidden: false, zIndex: 3 };
    const pointed = this.#hovered !== null && this.graph.order <= MANY;
    const away = (pointed && !touched) || (this.#hovered === null && this.way !== null);
    if (away) return { color: this.#tone(colour, data.structure ? 0.4 : 0.1), size: size * 0.8, type, hidden: false, zIndex: 0 };
    return {
      color: this.#tone(colour, touched && !data.structure ? 1 : share), size: touched ? size + 0.6 : size,
      type, hidden: false, zIndex: touched ? 2 : 1,
    };
  }

  #drawHover(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label: string | null }, font: string): void {
    const palette = this.#palette;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3.5, 0, 2 * Math.PI);
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = `600 12.5px ${font}`;
    const width = context.measureText(data.label).width + 16, right = data.x + data.size + 5;
    const room = this.#measureRoom(), before = data.x - data.size - 5 - width;
    const beside = right + width < room ? right : before > 0 ? before : null;
    const left = beside ?? Math.max(4, Math.min(data.x - width / 2, room - width - 4)), middle = beside === null ? data.y + data.size + 20 : data.y;
    this.#names.block([left - 4, middle - 14, left + width + 4, middle + 14]);
    context.beginPath();
    context.roundRect(left, middle - 12, width, 24, 7);
    context.fillStyle = palette.halo;
    context.shadowColor = "rgba(0, 0, 0, .22)";
    context.shadowBlur = 8;
    context.fill();
    context.shadowBlur = 0;
    context.fillStyle = palette.ink;
    context.fillText(data.label, left + 8, middle + 4.5);
  }

  /** How wide the picture is up to what covers its side. */
  #measureRoom(): number {
    const box = this.sigma.getContainer().getBoundingClientRect(), { cover } = this.view;
    const beside = cover !== undefined && cover.width < 0.8 * box.width && cover.left < box.right;
    return beside ? cover.left - box.left : box.width;
  }
}
