// Which node a link of a note leads to: the one that the store linked, else the one of that name.

import { ApiError, get } from "./api";
import { GHOST, type Model } from "./model";
import { findHits } from "./search";
import type { Columns } from "./shapes";

const ENDING = /\.(md|markdown|mdx|html?|txt|ya?ml|json|toml)$/i;

const plain = (name: string): string => name.normalize("NFC").replace(/[\s_-]+/g, " ").trim().toLowerCase();
const stem = (path: string): string => plain(path.split("/").pop()!.replace(ENDING, ""));

/** The id of the node; null where there is none. `from` is the node whose text holds the link. Raises ApiError. */
export async function findTarget(model: Model, label: string, from: string): Promise<string | null> {
  return findLinked(model, label, from) ?? await findNamed(label) ?? findGhost(model, label)
    ?? (await findHits(label, 1)).hits[0]?.id ?? null;
}

/** Among what the text and the sections below it are linked to. */
function findLinked({ graph, children }: Model, label: string, from: string): string | null {
  const [path = "", ...anchors] = label.split("#");
  const name = stem(path), anchor = plain(anchors.pop() ?? "");
  const waiting = graph.hasNode(from) ? [from] : [];
  let document: string | null = null;
  while (waiting.length) {
    const at = waiting.pop()!;
    waiting.push(...children.get(at) ?? []);
    for (const target of graph.outNeighbors(at)) {
      const data = graph.getNodeAttributes(target);
      if (data.ghost || graph.edges(at, target).every((edge) => graph.getEdgeAttribute(edge, "structure"))) continue;
      const called = plain(data.full) === name || stem(data.source) === name;
      if (anchor !== "" && plain(data.full) === anchor && (name === "" || stem(data.source) === name || owns(graph, target, name))) return target;
      if (called && (data.kind !== "heading" || plain(data.full) === name)) document ??= target;
    }
  }
  return anchor === "" ? document : null;
}

function owns(graph: Model["graph"], at: string, name: string): boolean {
  const above = graph.getNodeAttribute(at, "parent");
  return above !== null && graph.hasNode(above) && (plain(graph.getNodeAttribute(above, "full")) === name || owns(graph, above, name));
}

/** The node that the store knows by a name; null where there is none. Raises ApiError. */
export async function findNamed(label: string): Promise<string | null> {
  if (label.includes(",") || label.trim() === "") return null;
  const clean = label.replace(/^(\.{0,2}\/)+/, "");
  const found = await get<Columns>("/graph", { compact: true, nodes: clean, depth: 0, limit: 1 }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 401) return null;
    throw error;
  });
  return found?.nodes.id[0] ?? null;
}

function findGhost({ graph }: Model, label: string): string | null {
  for (const name of [label, label.split("#")[0]!]) if (graph.hasNode(GHOST + name)) return GHOST + name;
  return null;
}
