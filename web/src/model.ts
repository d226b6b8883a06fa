// The graph in the page: what the service sent, as one graphology graph. Draws nothing.

import { MultiDirectedGraph } from "graphology";
import { clip } from "./elements";
import type { Columns } from "./shapes";

export interface NodeData {
  x: number; y: number; size: number; color: string; label: string; type: string;
  full: string; kind: string; root: string; source: string; parent: string | null;
  degree: number; temperature: number; tokens: number; pinned: boolean;
  created: number; updated: number; tags: string[]; placed: boolean; stored: boolean; ghost: boolean;
  waits: { source: string; type: string; count: number }[];
  [key: string]: unknown;
}

export interface EdgeData {
  size: number; color: string; type: string; forceLabel: boolean;
  relation: string; origin: string; weight: number; links: number; structure: boolean; ghost: boolean;
  [key: string]: unknown;
}

export type Graph = MultiDirectedGraph<NodeData, EdgeData>;

export interface Figures { snapshot: number; change: number; totalNodes: number; totalEdges: number; truncated: boolean }

export const GHOST = "ghost:";
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** A number from 0 to 1 that the text alone decides. */
function spread(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return ((hash >>> 0) % 100003) / 100003;
}

export class Model {
  readonly graph: Graph = new MultiDirectedGraph<NodeData, EdgeData>();
  figures: Figures = { snapshot: 0, change: 0, totalNodes: 0, totalEdges: 0, truncated: false };
  roots: string[] = [];
  tags: string[] = [];
  /** Children in the order they came, by parent; "" holds those without one. */
  children = new Map<string, string[]>();

  /** Takes over what was sent; with `whole`, what was not sent is gone. Gives the ids of nodes that are new and have
   * no place of their own yet. */
  merge(sent: Columns, whole: boolean): string[] {
    const seenNodes = new Set<string>(), seenEdges = new Set<string>(), fresh: string[] = [];
    sent.nodes.id.forEach((id, at) => {
      seenNodes.add(id);
      if (this.#putNode(sent, id, at)) fresh.push(id);
    });
    sent.ghosts.label.forEach((label, at) => {
      const source = sent.nodes.id[sent.ghosts.source[at]!];
      if (source === undefined) return;
      const id = GHOST + label;
      if (this.#putGhost(id, label, seenNodes.has(id), {
        source, type: sent.types[sent.ghosts.type[at]!] ?? "references", count: sent.ghosts.count[at] ?? 1,
      })) fresh.push(id);
      seenNodes.add(id);
      seenEdges.add(this.#putEdge(source, id, sent.types[sent.ghosts.type[at]!] ?? "references", "parsed",
        sent.ghosts.weight[at] ?? 1, 1, true));
    });
    sent.edges.source.forEach((from, at) => {
      const source = sent.nodes.id[from], target = sent.nodes.id[sent.edges.target[at]!];
      if (source === undefined || target === undefined || source === target) return;
      seenEdges.add(this.#putEdge(source, target, sent.types[sent.edges.type[at]!]!,
        sent.origins[sent.edges.origin[at]!]!, sent.edges.weight[at]!, 1, false));
    });
    this.#putStructure(sent, seenEdges);
    if (whole) this.#drop(seenNodes, seenEdges);
    this.#place(fresh);
    this.#finish(sent, whole);
    return fresh.filter((id) => !this.graph.getNodeAttribute(id, "stored"));
  }

  /** The nodes around one, itself included, at most `depth` hops away along edges that pass. */
  reach(start: string, depth: number, passes: (edge: string) => boolean): Set<string> {
    const seen = new Set([start]);
    let rim = [start];
    for (let hop = 0; hop < depth && rim.length; hop++) {
      const next: string[] = [];
      for (const node of rim) {
        this.graph.forEachEdge(node, (edge, _data, source, target) => {
          const other = source === node ? target : source;
          if (!seen.has(other) && passes(edge)) { seen.add(other); next.push(other); }
        });
      }
      rim = next;
    }
    return seen;
  }

  /** A node and all below it. */
  listParts(id: string): string[] {
    const found = [id];
    for (let at = 0; at < found.length; at++) found.push(...this.children.get(found[at]!) ?? []);
    return found;
  }

  #putNode(sent: Columns, id: string, at: number): boolean {
    const { nodes } = sent;
    const full = nodes.label[at] || id, x = nodes.x[at], y = nodes.y[at];
    const parent = nodes.parent[at]! < 0 ? null : nodes.id[nodes.parent[at]!] ?? null;
    const data = {
      full, label: clip(full, 48), kind: sent.kinds[nodes.kind[at]!] ?? "", parent,
      root: sent.roots[nodes.root[at]!] ?? "", source: sent.sources[nodes.source[at]!] ?? "",
      degree: nodes.degree[at]!, temperature: nodes.temperature[at]!, tokens: nodes.tokens[at]!,
      pinned: Boolean(nodes.pinned[at]), created: nodes.created_at[at] ?? 0, updated: nodes.updated_at[at] ?? 0,
      tags: (nodes.tags[at] ?? []).map((tag) => sent.tags[tag]!), type: "disc", ghost: false, waits: [],
      size: 3 + 2.1 * Math.log2(1 + nodes.degree[at]!),
    };
    if (this.graph.hasNode(id)) {
      // Where others put it meanwhile is theirs: the picture that somebody looks at does not jump.
      this.graph.mergeNodeAttributes(id, data);
      return false;
    }
    const placed = typeof x === "number" && typeof y === "number";
    this.graph.addNode(id, { ...data, color: "", x: placed ? x : 0, y: placed ? y : 0, placed, stored: placed, storedX: placed ? x : undefined, storedY: placed ? y : undefined });
    return true;
  }

  #putGhost(id: string, label: string, again: boolean, wait: NodeData["waits"][number]): boolean {
    if (this.graph.hasNode(id)) {
      const before = again ? this.graph.getNodeAttribute(id, "waits") : [];
      // Nothing of it is drawn: the picture need not hear of it.
      this.graph.getNodeAttributes(id).waits = [...before, wait];
      return false;
    }
    this.graph.addNode(id, {
      x: 0, y: 0, placed: false, stored: false, size: 4, color: "", type: "ring", label: clip(label, 48), full: label, kind: "ghost",
      root: "", source: "", parent: null, degree: 1, temperature: 0, tokens: 0, pinned: false, created: 0, updated: 0,
      tags: [], ghost: true, waits: [wait],
    });
    return true;
  }

  #putEdge(
    source: string, target: string, relation: string, origin: string, weight: number, links: number, ghost: boolean,
  ): string {
    const key = `${source}>${target}:${relation}:${origin}`;
    const data = {
      relation, origin, weight, links, ghost, structure: false, color: "", type: "arrow", forceLabel: false,
      size: 0.7 + 0.9 * Math.log2(1 + Math.min(weight, 30)),
    };
    if (this.graph.hasEdge(key)) this.graph.mergeEdgeAttributes(key, data);
    else this.graph.addEdgeWithKey(key, source, target, data);
    return key;
  }

  #putStructure(sent: Columns, seen: Set<string>): void {
    sent.nodes.parent.forEach((parent, at) => {
      const above = sent.nodes.id[parent], below = sent.nodes.id[at]!;
      if (parent < 0 || above === undefined) return;
      const key = `${above}/${below}`;
      seen.add(key);
      if (this.graph.hasEdge(key)) return;
      this.graph.addEdgeWithKey(key, above, below, {
        relation: "contains", origin: "tree", weight: 1, links: 1, structure: true, ghost: false, color: "",
        type: "line", size: 1.5, forceLabel: false,
      });
    });
  }

  #drop(nodes: Set<string>, edges: Set<string>): void {
    for (const edge of this.graph.edges()) if (!edges.has(edge)) this.graph.dropEdge(edge);
    for (const node of this.graph.nodes()) if (!nodes.has(node)) this.graph.dropNode(node);
  }

  /** New nodes without a place of their own begin near a neighbour that has one, else on a spiral. */
  #place(fresh: readonly string[]): void {
    const { graph } = this;
    let waiting = fresh.filter((node) => !graph.getNodeAttribute(node, "placed"));
    const tops = waiting.filter((node) => graph.getNodeAttribute(node, "parent") === null && !graph.getNodeAttribute(node, "ghost"));
    const begun = graph.order > waiting.length;
    const step = 40;
    if (!begun) tops.forEach((node, at) => this.#put(node, step * Math.sqrt(at) * Math.cos(at * GOLDEN), step * Math.sqrt(at) * Math.sin(at * GOLDEN)));
    for (let round = 0; round < 8 && waiting.length; round++) {
      waiting = waiting.filter((node) => {
        if (graph.getNodeAttribute(node, "placed")) return false;
        const near = graph.findNeighbor(node, (_id, data) => data.placed);
        if (near === undefined) return true;
        const angle = 2 * Math.PI * spread(node), far = 6 + 10 * spread(node + "r");
        this.#put(node, graph.getNodeAttribute(near, "x") + far * Math.cos(angle), graph.getNodeAttribute(near, "y") + far * Math.sin(angle));
        return false;
      });
    }
    waiting.forEach((node, at) => {
      const far = step * Math.sqrt(graph.order + at), angle = (graph.order + at) * GOLDEN;
      this.#put(node, far * Math.cos(angle), far * Math.sin(angle));
    });
  }

  #put(node: string, x: number, y: number): void {
    this.graph.mergeNodeAttributes(node, { x, y, placed: true });
  }

  #finish(sent: Columns, whole: boolean): void {
    this.figures = {
      snapshot: sent.snapshot, change: sent.change, totalNodes: sent.total_nodes, totalEdges: sent.total_edges,
      truncated: whole ? sent.truncated : this.figures.truncated,
    };
    this.roots = [...new Set([...(whole ? [] : this.roots), ...sent.roots])].sort();
    this.tags = [...new Set([...(whole ? [] : this.tags), ...sent.tags])].sort();
    this.children = new Map();
    this.graph.forEachNode((id, data) => {
      if (data.ghost) return;
      const above = data.parent !== null && this.graph.hasNode(data.parent) ? data.parent : "";
      const list = this.children.get(above);
      if (list === undefined) this.children.set(above, [id]);
      else list.push(id);
    });
  }
}
