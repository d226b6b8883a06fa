// Moves the nodes apart on a thread of its own: forces step by step, and at the end room for every node.

import iterate from "graphology-layout-forceatlas2/iterate.js";
import { makeRoom } from "./room";

interface Order { settings: object; nodes: Float32Array; edges: Float32Array; left: number; beat: number; scale: number; still: boolean }

self.onmessage = (event: MessageEvent<Order>) => {
  const { settings, nodes, edges, left, beat, scale, still } = event.data;
  const begun = performance.now();
  let done = 0;
  while (done < left && (done === 0 || performance.now() - begun < beat)) {
    iterate(settings, nodes, edges);
    done++;
  }
  if (done === left && !still) makeRoom(nodes, edges, scale);
  (self as unknown as Worker).postMessage({ nodes, edges, done }, [nodes.buffer, edges.buffer]);
};
