// Where nodes came to rest: tells the service, so that the next visit begins there.

import { call } from "./api";
import type { Graph, NodeData } from "./model";

const MOST = 20_000;

const round = (value: number): number => Math.round(value * 100) / 100;

/** Gives a function that saves the places of nodes that have moved: one request at a time, the newest places last. */
export function makeSaver(graph: Graph): () => Promise<void> {
  // Not kept in the graph: each change there has the picture drawn anew.
  const saved = new Map<string, { x: number; y: number }>();
  let running = false, again = false;
  const moved = (id: string, { x, y, storedX, storedY }: NodeData): boolean => {
    const before = saved.get(id) ?? { x: Number(storedX), y: Number(storedY) };
    return !(Math.abs(x - before.x) <= 0.01 && Math.abs(y - before.y) <= 0.01);
  };
  const save = async (): Promise<void> => {
    const positions = graph.filterNodes((id, data) => !data.ghost && moved(id, data)).slice(0, MOST).map((id) => {
      const { x, y } = graph.getNodeAttributes(id);
      return { id, x: round(x), y: round(y) };
    });
    if (!positions.length) return;
    // Where it fails, the next time that the nodes rest will do.
    const done = await call("PUT", "/graph/positions", {}, { positions }).then(() => true, () => false);
    for (const { id, x, y } of done ? positions : []) saved.set(id, { x, y });
  };
  return async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      for (; again;) {
        again = false;
        await save();
      }
    } finally {
      running = false;
    }
  };
}
