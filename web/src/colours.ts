// The colours of the picture, read from the style sheet, so that dark and light have one place.

export interface Palette {
  ground: string; ink: string; faint: string; accent: string; ghost: string; line: string; halo: string;
  kinds: Record<string, string>; types: Record<string, string>; cold: string; hot: string;
}

const KINDS = ["document", "heading", "memory", "entity", "ghost"];
const RELATIONS = ["related_to", "caused_by", "part_of", "references", "contradicts", "supports", "similar_to", "derived_from"];

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: read("ground"), ink: read("ink"), faint: read("faint"), accent: read("accent"), ghost: read("ghost"),
    line: read("line"), halo: read("halo"), cold: read("cold"), hot: read("hot"),
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, read(`kind-${kind}`)])),
    types: Object.fromEntries(RELATIONS.map((type) => [type, read(`type-${type.replace("_", "-")}`)])),
  };
}

function parse(colour: string): [number, number, number] {
  const hex = colour.replace("#", "");
  const part = (at: number): number => parseInt(hex.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** `share` of the first colour over the second; both as #rrggbb. */
export function mix(first: string, second: string, share: number): string {
  const a = parse(first), b = parse(second);
  return "#" + a.map((value, at) => Math.round(value * share + b[at]! * (1 - share)).toString(16).padStart(2, "0")).join("");
}
