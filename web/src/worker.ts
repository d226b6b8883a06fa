// Moves the nodes apart, step by step, on a thread of its own.

import iterate from "graphology-layout-forceatlas2/iterate.js";

interface Order { settings: object; nodes: Float32Array; edges: Float32Array; steps: number }

self.onmessage = (event: MessageEvent<Order>) => {
  const { settings, nodes, edges, steps } = event.data;
  for (let step = 0; step < steps; step++) iterate(settings, nodes, edges);
  (self as unknown as Worker).postMessage({ nodes, edges }, [nodes.buffer, edges.buffer]);
};
