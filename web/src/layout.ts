// Arranges the graph in the background and tells when it has come to rest. Positions live in the graph itself.

import defaults from "graphology-layout-forceatlas2/defaults.js";
import { graphToByteArrays } from "graphology-layout-forceatlas2/helpers.js";
import type { EdgeData, Graph } from "./model";

const PER_NODE = 10, FIXED = 9;
/** Milliseconds of work between two pictures of it; more where drawing takes long, which must not decide how long all takes. */
const BEAT = 80, LONGEST_BEAT = 1000;

/** How strongly an edge pulls. */
function weigh(data: EdgeData): number {
  if (data.structure) return 3;
  const base = Math.min(data.weight, 4);
  return data.origin === "mentioned" ? 0.3 * base : data.origin === "discovered" ? 0.6 * base : base;
}

interface Arrays { nodes: Float32Array; edges: Float32Array }
interface Answer extends Arrays { done: number }

export interface Follower {
  /** What makes pixels of a node's size. */
  readonly scale: number;
  /** Milliseconds that drawing takes. */
  readonly cost: number;
  moved(): void;
  rested(): void;
  /** It could not go on: nodes stand wherever they are. */
  failed(): void;
}

export class Layout {
  #worker: Worker | null = null;
  #left = 0;
  #order: string[] = [];
  /** What alone moves; null where all does. */
  #loose: ReadonlySet<string> | null = null;

  constructor(private readonly graph: Graph, private readonly follower: Follower) {}

  get running(): boolean {
    return this.#worker !== null;
  }

  /** Arranges all in so many steps. */
  arrange(steps: number): void {
    this.#start(steps, null);
  }

  /** Finds places for what is new, beside what stands. Where all is being arranged, the new is arranged with it. */
  add(fresh: readonly string[], steps: number): void {
    if (!this.running) this.#start(steps, new Set(fresh));
    else if (this.#loose === null) this.#start(Math.max(steps, this.#left), null);
    else this.#start(Math.max(steps, this.#left), new Set([...this.#loose, ...fresh]));
  }

  #start(steps: number, loose: ReadonlySet<string> | null): void {
    this.stop();
    if (this.graph.order < 2 || loose?.size === 0) return this.follower.rested();
    this.#left = steps;
    this.#loose = loose;
    const worker = this.#worker = new Worker(`/static/${WORKER}`);
    worker.onmessage = (event: MessageEvent<Answer>) => { if (worker === this.#worker) this.#take(event.data); };
    worker.onerror = () => { if (worker === this.#worker) { this.stop(); this.follower.failed(); } };
    this.#order = this.graph.nodes();
    const arrays = graphToByteArrays(this.graph as never, (_edge, data) => weigh(data as EdgeData));
    if (loose !== null) this.#order.forEach((node, at) => { arrays.nodes[at * PER_NODE + FIXED] = loose.has(node) ? 0 : 1; });
    this.#step(arrays);
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #step({ nodes, edges }: Arrays): void {
    const settings = {
      ...(defaults as object), barnesHutOptimize: this.graph.order > 1500, barnesHutTheta: 0.8, gravity: 1, scalingRatio: 2,
      slowDown: 1 + Math.log(this.graph.order + 1), strongGravityMode: false, linLogMode: true, edgeWeightInfluence: 1, adjustSizes: false,
    };
    const { scale, cost } = this.follower, beat = Math.min(LONGEST_BEAT, Math.max(BEAT, 4 * cost));
    this.#worker?.postMessage({ settings, nodes, edges, left: this.#left, beat, scale, still: this.#loose !== null }, [nodes.buffer, edges.buffer]);
  }

  #take({ nodes, edges, done }: Answer): void {
    this.#order.forEach((node, at) => {
      if (!this.graph.hasNode(node)) return;
      this.graph.mergeNodeAttributes(node, { x: nodes[at * PER_NODE]!, y: nodes[at * PER_NODE + 1]! });
    });
    this.#left -= done;
    this.follower.moved();
    if (this.#left > 0) return this.#step({ nodes, edges });
    this.stop();
    this.follower.rested();
  }
}
