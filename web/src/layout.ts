// Arranges the graph in the background and tells when it has come to rest. Positions live in the graph itself.

import defaults from "graphology-layout-forceatlas2/defaults.js";
import { graphToByteArrays } from "graphology-layout-forceatlas2/helpers.js";
import type { EdgeData, Graph } from "./model";

const PER_NODE = 10;

/** How strongly an edge pulls. */
function weigh(data: EdgeData): number {
  if (data.structure) return 2.2;
  const base = Math.min(data.weight, 5);
  return data.origin === "mentioned" ? 0.4 * base : data.origin === "discovered" ? 0.7 * base : base;
}

export class Layout {
  #worker: Worker | null = null;
  #left = 0;
  #order: string[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly onMove: () => void,
    private readonly onRest: () => void,
  ) {}

  get running(): boolean {
    return this.#worker !== null;
  }

  /** Runs so many steps; one that runs goes on for the longer of both. */
  start(steps: number): void {
    if (this.graph.order < 2) return;
    this.stop();
    this.#left = steps;
    this.#worker = new Worker(`/static/${WORKER}`);
    this.#worker.onmessage = (event: MessageEvent<{ nodes: Float32Array; edges: Float32Array }>) => this.#take(event.data);
    this.#worker.onerror = () => this.stop();
    this.#order = this.graph.nodes();
    const arrays = graphToByteArrays(this.graph as never, (_edge, data) => weigh(data as EdgeData));
    this.#step(arrays);
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #step({ nodes, edges }: { nodes: Float32Array; edges: Float32Array }): void {
    const large = this.graph.order > 1500;
    const settings = {
      ...(defaults as object), barnesHutOptimize: large, barnesHutTheta: 0.7, gravity: 0.6, scalingRatio: 9,
      slowDown: 1 + Math.log(this.graph.order + 1), strongGravityMode: false, edgeWeightInfluence: 1, adjustSizes: false,
    };
    const steps = Math.min(this.#left, large ? 4 : 12);
    this.#left -= steps;
    this.#worker?.postMessage({ settings, nodes, edges, steps }, [nodes.buffer, edges.buffer]);
  }

  #take(arrays: { nodes: Float32Array; edges: Float32Array }): void {
    this.#order.forEach((node, at) => {
      if (!this.graph.hasNode(node)) return;
      this.graph.mergeNodeAttributes(node, { x: arrays.nodes[at * PER_NODE]!, y: arrays.nodes[at * PER_NODE + 1]! });
    });
    this.onMove();
    if (this.#left > 0) return this.#step(arrays);
    this.stop();
    this.onRest();
  }
}
