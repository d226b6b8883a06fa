// Arranges the graph in the background and tells when it has come to rest. Positions live in the graph itself.

import defaults from "graphology-layout-forceatlas2/defaults.js";
import { graphToByteArrays } from "graphology-layout-forceatlas2/helpers.js";
import type { EdgeData, Graph } from "./model";

const PER_NODE = 10, FIXED = 9;

/** How strongly an edge pulls. */
function weigh(data: EdgeData): number {
  if (data.structure) return 3;
  const base = Math.min(data.weight, 4);
  return data.origin === "mentioned" ? 0.3 * base : data.origin === "discovered" ? 0.6 * base : base;
}

interface Arrays { nodes: Float32Array; edges: Float32Array }

export interface Follower {
  /** What makes pixels of a node's size. */
  readonly scale: number;
  moved(): void;
  rested(): void;
}

export class Layout {
  #worker: Worker | null = null;
  #left = 0;
  #order: string[] = [];
  #still = false;

  constructor(private readonly graph: Graph, private readonly follower: Follower) {}

  get running(): boolean {
    return this.#worker !== null;
  }

  /** Runs so many steps; where nodes are given, these alone move. One that runs is stopped where it is. */
  start(steps: number, loose?: ReadonlySet<string>): void {
    this.stop();
    if (this.graph.order < 2 || loose?.size === 0) return this.follower.rested();
    this.#left = steps;
    this.#still = loose !== undefined;
    this.#worker = new Worker(`/static/${WORKER}`);
    this.#worker.onmessage = (event: MessageEvent<Arrays>) => this.#take(event.data);
    this.#worker.onerror = () => { this.stop(); this.follower.rested(); };
    this.#order = this.graph.nodes();
    const arrays = graphToByteArrays(this.graph as never, (_edge, data) => weigh(data as EdgeData));
    if (loose !== undefined) this.#order.forEach((node, at) => { arrays.nodes[at * PER_NODE + FIXED] = loose.has(node) ? 0 : 1; });
    this.#step(arrays);
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #step({ nodes, edges }: Arrays): void {
    const large = this.graph.order > 1500, huge = this.graph.order > 4000;
    const settings = {
      ...(defaults as object), barnesHutOptimize: large, barnesHutTheta: 0.8, gravity: 1, scalingRatio: 2,
      slowDown: 1 + Math.log(this.graph.order + 1), strongGravityMode: false, linLogMode: true, edgeWeightInfluence: 1, adjustSizes: false,
    };
    const steps = Math.min(this.#left, huge ? 20 : large ? 4 : 12);
    this.#left -= steps;
    this.#worker?.postMessage(
      { settings, nodes, edges, steps, last: this.#left <= 0, scale: this.follower.scale, still: this.#still },
      [nodes.buffer, edges.buffer]);
  }

  #take(arrays: Arrays): void {
    this.#order.forEach((node, at) => {
      if (!this.graph.hasNode(node)) return;
      this.graph.mergeNodeAttributes(node, { x: arrays.nodes[at * PER_NODE]!, y: arrays.nodes[at * PER_NODE + 1]! });
    });
    this.follower.moved();
    if (this.#left > 0) return this.#step(arrays);
    this.stop();
    this.follower.rested();
  }
}
