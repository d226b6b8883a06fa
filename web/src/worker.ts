// Moves the nodes apart on a thread of its own: forces step by step, and at the end room for every node.

import iterate from "graphology-layout-forceatlas2/iterate.js";
import { makeRoom } from "./room";

interface Order { settings: object; nodes: Float32Array; edges: Float32Array; steps: number; last: boolean; scale: number; still: boolean }

self.onmessage = (event: MessageEvent<Order>) => {
  const { settings, nodes, edges, steps, last, scale, still } = event.data;
  for (let step = 0; step < steps; step++) iterate(settings, nodes, edges);
  if (last && !still) makeRoom(nodes, edges, scale);
  (self as unknown as Worker).postMessage({ nodes, edges }, [nodes.buffer, edges.buffer]);
};
