// What is shown: by kind, type, origin, weight, tag, root, time; what colours mean. Draws its own pane, hides nothing itself.

import { make, words } from "./elements";
import type { EdgeData, Model, NodeData } from "./model";
import { TYPES } from "./shapes";

const KINDS = ["document", "heading", "memory", "entity", "ghost"] as const;
const ORIGINS = ["manual", "parsed", "discovered", "mentioned"] as const;
const DAY = 86400;

export class Filters {
  kinds = new Set<string>(KINDS);
  types = new Set<string>(TYPES);
  origins = new Set<string>(ORIGINS);
  weight = 0;
  tag = "";
  root = "";
  after = 0;
  before = 0;
  heat = false;
  structure = true;
  depth = 0;
  /** The nodes near the chosen one, where only those are shown. */
  near: Set<string> | null = null;

  constructor(private readonly pane: HTMLElement, private readonly model: Model, private readonly changed: () => void) {}

  shownNode(id: string, data: NodeData): boolean {
    if (!this.kinds.has(data.kind)) return false;
    if (this.near !== null && !this.near.has(id)) return false;
    if (data.ghost) return !this.tag && !this.root;
    if (this.root && data.root !== this.root && data.kind !== "memory" && data.kind !== "entity") return false;
    if (this.root && !data.root) return false;
    if (this.tag && !this.#tagged(id)) return false;
    if (this.after && data.updated < this.after) return false;
    return !(this.before && data.updated >= this.before);
  }

  shownEdge(_id: string, data: EdgeData): boolean {
    if (data.structure) return this.structure;
    return this.types.has(data.relation) && this.origins.has(data.origin) && data.weight >= this.weight;
  }

  /** Whether anything but the usual is set. */
  get active(): boolean {
    return this.kinds.size < KINDS.length || this.types.size < TYPES.length || this.origins.size < ORIGINS.length
      || this.weight > 0 || Boolean(this.tag || this.root || this.after || this.before || this.near);
  }

  reset(): void {
    this.kinds = new Set(KINDS);
    this.types = new Set(TYPES);
    this.origins = new Set(ORIGINS);
    this.weight = this.after = this.before = this.depth = 0;
    this.tag = this.root = "";
    this.near = null;
    this.draw();
    this.changed();
  }

  draw(): void {
    const swatch = (name: string, kind: "dot" | "dash"): HTMLElement => make("i", { class: `${kind} ${name}` });
    this.pane.replaceChildren(
      this.#group("Nodes", KINDS.map((kind) => this.#box(kind === "ghost" ? "waiting" : kind, this.kinds, kind, swatch(`kind-${kind}`, "dot")))),
      this.#group("Edges", TYPES.map((type) => this.#box(words(type), this.types, type, swatch(`type-${type.replace("_", "-")}`, "dash")))),
      this.#group("Made by", ORIGINS.map((origin) => this.#box(
        { manual: "a call", parsed: "a link in text", discovered: "similarity", mentioned: "a mention" }[origin], this.origins, origin))),
      this.#weightField(),
      this.#choice("Tag", "filter-tag", this.tag, this.model.tags, (value) => { this.tag = value; }),
      this.#choice("Root", "filter-root", this.root, this.model.roots, (value) => { this.root = value; }),
      make("div", { class: "field two" },
        this.#date("Changed from", "filter-after", this.after, (value) => { this.after = value; }),
        this.#date("to", "filter-before", this.before && this.before - DAY, (value) => { this.before = value && value + DAY; })),
      this.#group("View", [
        this.#flag("colour by use: warm and cold", "filter-heat", this.heat, (value) => { this.heat = value; }),
        this.#flag("lines from sections to their parts", "filter-structure", this.structure, (value) => { this.structure = value; }),
      ]),
      make("button", { class: "quiet", id: "filter-reset", onclick: () => this.reset() }, "Show everything"));
  }

  #tagged(id: string): boolean {
    for (let at: string | null = id; at !== null && this.model.graph.hasNode(at); at = this.model.graph.getNodeAttribute(at, "parent")) {
      if (this.model.graph.getNodeAttribute(at, "tags").includes(this.tag)) return true;
    }
    return false;
  }

  #group(title: string, children: HTMLElement[]): HTMLElement {
    return make("fieldset", { class: "field" }, make("legend", {}, title), ...children);
  }

  #box(label: string, set: Set<string>, value: string, swatch?: HTMLElement): HTMLElement {
    return make("label", { class: "check" }, make("input", {
      type: "checkbox", checked: set.has(value), "data-filter": value,
      onchange: (event) => {
        if ((event.target as HTMLInputElement).checked) set.add(value);
        else set.delete(value);
        this.changed();
      },
    }), swatch, label);
  }

  #flag(label: string, id: string, value: boolean, take: (value: boolean) => void): HTMLElement {
    return make("label", { class: "check" }, make("input", {
      type: "checkbox", id, checked: value, onchange: (event) => { take((event.target as HTMLInputElement).checked); this.changed(); },
    }), label);
  }

  #weightField(): HTMLElement {
    const told = make("output", { for: "filter-weight" }, this.weight ? `from ${this.weight}` : "any");
    return make("div", { class: "field" },
      make("label", { for: "filter-weight" }, "Weight ", told),
      make("input", {
        type: "range", id: "filter-weight", min: 0, max: 5, step: 0.1, value: this.weight,
        oninput: (event) => {
          this.weight = Number((event.target as HTMLInputElement).value);
          told.textContent = this.weight ? `from ${this.weight}` : "any";
          this.changed();
        },
      }));
  }

  #choice(label: string, id: string, value: string, values: readonly string[], take: (value: string) => void): HTMLElement {
    const options = ["", ...values.slice(0, 500)].map((entry) => make("option", { value: entry, selected: entry === value }, entry || "any"));
    return make("div", { class: "field" }, make("label", { for: id }, label),
      make("select", { id, onchange: (event) => { take((event.target as HTMLSelectElement).value); this.changed(); } }, ...options));
  }

  #date(label: string, id: string, seconds: number, take: (seconds: number) => void): HTMLElement {
    const shown = seconds ? new Date(seconds * 1000).toISOString().slice(0, 10) : "";
    return make("div", {}, make("label", { for: id }, label), make("input", {
      type: "date", id, value: shown,
      onchange: (event) => { take(Math.round(((event.target as HTMLInputElement).valueAsNumber || 0) / 1000)); this.changed(); },
    }));
  }
}
