declare module "graphology-layout-forceatlas2/iterate.js" {
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}
declare module "graphology-layout-forceatlas2/helpers.js" {
  import type Graph from "graphology";
  export function graphToByteArrays(
    graph: Graph, weigh: (edge: string, data: never, source: string, target: string, a: never, b: never, undirected: boolean) => number,
  ): { nodes: Float32Array; edges: Float32Array };
}
declare module "graphology-layout-forceatlas2/defaults.js" {
  const defaults: object;
  export default defaults;
}
declare const WORKER: string;
declare module "graphology-layout-noverlap/iterate.js" {
  export default function separate(settings: object, nodes: Float32Array): { converged: boolean };
}
