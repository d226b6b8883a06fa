// Room in an arranged graph: parts that nothing joins move close to the largest one, nodes that cover each other apart.

import separate from "graphology-layout-noverlap/iterate.js";

const PER_NODE = 10, PER_EDGE = 3, SIZE = 8;
/** The shorter side of a picture in pixels, about. */
const SIDE = 760;
const CELL = 26;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** Pictures are wider than high. */
const STRETCH = 1.25;

/** Changes the places in `nodes` (rows as ForceAtlas2 has them); `scale` makes pixels of a node's size. */
export function makeRoom(nodes: Float32Array, edges: Float32Array, scale: number): void {
  for (let round = 0; round < 2; round++) {
    packParts(nodes, listParts(nodes, edges));
    partNodes(nodes, scale);
  }
}

/** How much of the graph a pixel covers once all of it is shown. */
function measurePixel(nodes: Float32Array): number {
  let left = Infinity, right = -Infinity, top = -Infinity, bottom = Infinity;
  for (let at = 0; at < nodes.length; at += PER_NODE) {
    left = Math.min(left, nodes[at]!); right = Math.max(right, nodes[at]!);
    bottom = Math.min(bottom, nodes[at + 1]!); top = Math.max(top, nodes[at + 1]!);
  }
  return Math.max((right - left) / STRETCH, top - bottom, 1) / SIDE;
}

/** The nodes that edges join, largest part first. */
function listParts(nodes: Float32Array, edges: Float32Array): number[][] {
  const above = Array.from({ length: nodes.length / PER_NODE }, (_, at) => at);
  const root = (at: number): number => {
    while (above[at] !== at) at = above[at] = above[above[at]!]!;
    return at;
  };
  for (let at = 0; at < edges.length; at += PER_EDGE) above[root(edges[at]! / PER_NODE)] = root(edges[at + 1]! / PER_NODE);
  const parts = new Map<number, number[]>();
  above.forEach((_, at) => {
    const first = root(at), part = parts.get(first);
    if (part === undefined) parts.set(first, [at]);
    else part.push(at);
  });
  return [...parts.values()].sort((a, b) => b.length - a.length || a[0]! - b[0]!);
}

/** Puts each part where the first free place is, from the middle of the largest outward. */
function packParts(nodes: Float32Array, parts: number[][]): void {
  const first = parts.shift();
  if (first === undefined || !parts.length) return;
  const cell = CELL * measureCore(nodes, first);
  const middle = findMiddle(nodes, first), taken = new Set<number>();
  const cells = (part: readonly number[], dx: number, dy: number): number[] => part.map((at) =>
    Math.round((nodes[at * PER_NODE]! - middle.x + dx) / cell) * 65536 + Math.round((nodes[at * PER_NODE + 1]! - middle.y + dy) / cell));
  const take = (part: readonly number[], dx: number, dy: number): void => {
    for (const at of cells(part, dx, dy)) for (const x of [-65536, 0, 65536]) for (const y of [-1, 0, 1]) taken.add(at + x + y);
  };
  take(first, 0, 0);
  let turn = 0, last = 0;
  for (const part of parts) {
    if (part.length !== last) { turn = 0; last = part.length; }
    const own = findMiddle(nodes, part);
    for (;; turn++) {
      const far = cell * 0.7 * Math.sqrt(turn);
      const dx = middle.x + STRETCH * far * Math.cos(turn * GOLDEN) - own.x, dy = middle.y + far * Math.sin(turn * GOLDEN) - own.y;
      if (cells(part, dx, dy).some((at) => taken.has(at))) continue;
      take(part, dx, dy);
      for (const at of part) { nodes[at * PER_NODE]! += dx; nodes[at * PER_NODE + 1]! += dy; }
      break;
    }
  }
}

/** What a pixel covers where the largest part alone is shown. */
function measureCore(nodes: Float32Array, part: readonly number[]): number {
  const alone = new Float32Array(part.length * PER_NODE);
  part.forEach((at, row) => alone.set(nodes.subarray(at * PER_NODE, (at + 1) * PER_NODE), row * PER_NODE));
  return measurePixel(alone) * Math.min(1, Math.sqrt(600 * PER_NODE / nodes.length));
}

function findMiddle(nodes: Float32Array, part: readonly number[]): { x: number; y: number } {
  let x = 0, y = 0;
  for (const at of part) { x += nodes[at * PER_NODE]!; y += nodes[at * PER_NODE + 1]!; }
  return { x: x / part.length, y: y / part.length };
}

function partNodes(nodes: Float32Array, scale: number): void {
  const count = nodes.length / PER_NODE, pixel = measurePixel(nodes);
  const rows = new Float32Array(count * 3);
  for (let at = 0; at < count; at++) {
    rows[at * 3] = nodes[at * PER_NODE]!;
    rows[at * 3 + 1] = nodes[at * PER_NODE + 1]!;
    rows[at * 3 + 2] = (nodes[at * PER_NODE + SIZE]! + 2) * scale * pixel;
  }
  const settings = { gridSize: Math.max(20, Math.round(Math.sqrt(count))), margin: pixel * scale, expansion: 1.1, ratio: 1, speed: 3 };
  const rounds = count > 4000 ? 20 : 60;
  for (let round = 0; round < rounds && !separate(settings, rows).converged; round++);
  for (let at = 0; at < count; at++) {
    nodes[at * PER_NODE] = rows[at * 3]!;
    nodes[at * PER_NODE + 1] = rows[at * 3 + 1]!;
  }
}
