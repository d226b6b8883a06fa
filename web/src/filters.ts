// What is shown: by kind, type, origin, weight, tag, root, time; what colours mean. Draws its own pane, hides nothing itself.

import type { Query } from "./api";
import { make, words } from "./elements";
import { free } from "./free";
import type { EdgeData, Model, NodeData } from "./model";
import { TYPES } from "./shapes";

const KINDS = ["document", "heading", "memory", "entity", "ghost"] as const;
const ORIGINS = ["manual", "parsed", "discovered", "mentioned"] as const;
const MADE_BY = { manual: "a call", parsed: "a link in text", discovered: "similarity", mentioned: "a mention" };
const DAY = 86400;
/** More values than this are typed, not picked. */
const MOST_OPTIONS = 60;

export class Filters {
  kinds = new Set<string>(KINDS);
  types = new Set<string>(TYPES);
  origins = new Set<string>(ORIGINS);
  weight = 0;
  tag = "";
  root = "";
  when: "updated" | "created" = "updated";
  after = 0;
  before = 0;
  heat = false;
  structure = true;
  depth = 0;
  /** The nodes near the chosen one, where only those are shown. */
  near: Set<string> | null = null;
  #drawn = "";
  #held = false;

  constructor(private readonly pane: HTMLElement, private readonly model: Model, private readonly changed: () => void) {}

  shownNode(id: string, data: NodeData): boolean {
    if (!this.kinds.has(data.kind)) return false;
    if (this.near !== null && !this.near.has(id)) return false;
    if (data.ghost) return !this.tag && !this.root && !this.after && !this.before;
    if (this.root && data.root !== this.root) return false;
    if (this.tag && !this.#tagged(id)) return false;
    const at = data[this.when];
    return !(this.after && at < this.after) && !(this.before && at >= this.before);
  }

  shownEdge(_id: string, data: EdgeData): boolean {
    if (data.structure) return this.structure;
    return this.types.has(data.relation) && this.origins.has(data.origin) && data.weight >= this.weight;
  }

  /** Whether anything but the usual is set. */
  get active(): boolean {
    return this.kinds.size < KINDS.length || this.#narrow
      || Boolean(this.tag || this.root || this.after || this.before || this.near);
  }

  get #narrow(): boolean {
    return this.types.size < TYPES.length || this.origins.size < ORIGINS.length || this.weight > 0;
  }

  /** What the edges that are shown mean for a walk; null where none is. */
  get walk(): Query | null {
    if (!this.types.size || !this.origins.size) return null;
    return {
      relationship_types: this.types.size < TYPES.length ? [...this.types] : null,
      origins: this.origins.size < ORIGINS.length ? [...this.origins] : null,
      weight_min: this.weight || null,
    };
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

  /** Draws the pane anew where there are other tags or roots to choose from; once nobody chooses or types in it. */
  renew(): void {
    if (this.#drawn === this.#choices() || this.#held) return;
    if (!this.pane.querySelector(":is(select, input:not([type=checkbox])):focus")) return this.draw();
    this.#held = true;
    this.pane.addEventListener("focusout", () => void free().then(() => { this.#held = false; this.renew(); }), { once: true });
  }

  #choices(): string {
    return JSON.stringify([this.model.tags, this.model.roots]);
  }

  /** Draws the pane; whoever is in it stays where they are. */
  draw(): void {
    this.#drawn = this.#choices();
    const at = this.pane.contains(document.activeElement) ? document.activeElement?.id : "";
    const swatch = (name: string, kind: "dot" | "dash"): HTMLElement => make("i", { class: `${kind} ${name}` });
    this.pane.replaceChildren(
      this.#group("Nodes", KINDS.map((kind) => this.#box(kind === "ghost" ? "waiting" : kind, this.kinds, kind, swatch(`kind-${kind}`, "dot")))),
      this.#group("Edges", TYPES.map((type) => this.#box(words(type), this.types, type, swatch(`type-${type.replace("_", "-")}`, "dash")))),
      this.#group("Made by", ORIGINS.map((origin) => this.#box(MADE_BY[origin], this.origins, origin))),
      this.#weightField(),
      this.#choice("Tag", "filter-tag", this.tag, this.model.tags, (value) => { this.tag = value; }),
      this.#choice("Root", "filter-root", this.root, this.model.roots, (value) => { this.root = value; }),
      this.#times(),
      this.#group("View", [
        this.#flag("colour by use: warm and cold", "filter-heat", this.heat, (value) => { this.heat = value; }),
        this.#flag("lines from sections to their parts", "filter-structure", this.structure, (value) => { this.structure = value; }),
      ]),
      make("button", { class: "quiet", id: "filter-reset", onclick: () => this.reset() }, "Show everything"));
    if (at) document.getElementById(at)?.focus();
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
      type: "checkbox", id: `show-${value}`, checked: set.has(value), "data-filter": value,
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
    const chosen = (event: Event): void => { take((event.target as HTMLInputElement).value.trim().replace(/^#/, "")); this.changed(); };
    const head = make("label", { for: id }, label);
    if (values.length > MOST_OPTIONS) {
      return make("div", { class: "field" }, head,
        make("input", { id, type: "search", list: `${id}-all`, value, placeholder: `any of ${values.length}`, autocomplete: "off", onchange: chosen }),
        make("datalist", { id: `${id}-all` }, ...values.map((entry) => make("option", { value: entry }))));
    }
    const options = ["", ...values].map((entry) => make("option", { value: entry, selected: entry === value }, entry || "any"));
    return make("div", { class: "field" }, head, make("select", { id, onchange: chosen }, ...options));
  }

  #times(): HTMLElement {
    const when = make("select", { id: "filter-when", "aria-label": "Which time", onchange: (event) => {
      this.when = (event.target as HTMLSelectElement).value as "updated" | "created";
      this.changed();
    } }, ...(["updated", "created"] as const).map((name) => make("option", { value: name, selected: name === this.when },
      name === "updated" ? "Changed" : "First seen")));
    return make("fieldset", { class: "field times" }, make("legend", {}, "Time"), when,
      this.#date("from", "filter-after", this.after, (value) => { this.after = value; }),
      this.#date("to", "filter-before", this.before && this.before - DAY, (value) => { this.before = value && value + DAY; }));
  }

  #date(label: string, id: string, seconds: number, take: (seconds: number) => void): HTMLElement {
    const shown = seconds ? new Date(seconds * 1000).toISOString().slice(0, 10) : "";
    return make("label", { class: "date" }, make("span", {}, label), make("input", {
      type: "date", id, value: shown,
      onchange: (event) => { take(Math.round(((event.target as HTMLInputElement).valueAsNumber || 0) / 1000)); this.changed(); },
    }));
  }
}
