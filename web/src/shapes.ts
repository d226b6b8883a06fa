// What the service answers with: the parts that the page uses.

export interface Columns {
  snapshot: number;
  change: number;
  total_nodes: number;
  total_edges: number;
  shown_nodes: number;
  truncated: boolean;
  kinds: string[];
  types: string[];
  origins: string[];
  roots: string[];
  sources: string[];
  tags: string[];
  nodes: {
    id: string[]; label: string[]; kind: number[]; root: number[]; source: number[]; parent: number[];
    degree: number[]; temperature: number[]; tokens: number[]; pinned: number[];
    created_at: (number | null)[]; updated_at: (number | null)[];
    tags: number[][]; x: (number | null)[]; y: (number | null)[];
  };
  edges: { source: number[]; target: number[]; type: number[]; origin: number[]; weight: number[] };
  ghosts: { label: string[]; source: number[]; type: number[]; weight: number[]; count: number[] };
}

export interface Crumb { id: string; label: string }

export interface Step {
  id: string; label: string; source_id: string; target_id: string;
  relationship_type: string; origin: string; weight: number; direction: "out" | "in";
}

export interface Hit {
  id: string; kind: string; label: string; root: string; source: string;
  breadcrumb: Crumb[]; score: number; snippet: string; spans: [number, number][]; reason: string; via: Step[];
}

export interface NodeView {
  id: string; kind: string; label: string; root: string; source: string; parent_id: string | null; tokens: number;
  tags: string[]; content: string; temperature: number; pinned: boolean; breadcrumb: Crumb[]; text: string;
}

export interface MemoryView {
  memory_type: string; importance: number; source: string; created_at: string; expires_at: string | null;
}

export interface Related {
  memory: { id: string; kind: string; label: string; content: string };
  score: number; hops: number; distance: number;
  direct: { source_id: string; target_id: string; relationship_type: string; origin: string; weight: number } | null;
  path: Step[];
}

export const TYPES = [
  "related_to", "caused_by", "part_of", "references", "contradicts", "supports", "similar_to", "derived_from",
] as const;
