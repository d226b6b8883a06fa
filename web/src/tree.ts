// The tree beside the graph: roots, their documents and sections; memories and entities. Only the rows in sight exist.

import { make } from "./elements";
import type { Model } from "./model";

const collator = new Intl.Collator("en", { numeric: true });

interface Row { key: string; label: string; depth: number; kind: string; open: boolean | null; node: string | null }

const HEIGHT = 28;

export class Tree {
  #rows: Row[] = [];
  #open = new Set<string>();
  #chosen: string | null = null;
  #active = 0;
  #begun = false;
  #groups: [string, readonly string[]][] = [];
  #sorted = new WeakMap<readonly string[], readonly string[]>();
  readonly #scroll: HTMLElement;
  readonly #space: HTMLElement;

  constructor(pane: HTMLElement, private readonly model: Model, private readonly choose: (id: string) => void) {
    this.#space = make("div", { class: "tree-space" });
    this.#scroll = make("div", { class: "tree-scroll", role: "tree", tabindex: 0, "aria-label": "Documents, memories and entities" }, this.#space);
    pane.replaceChildren(this.#scroll);
    this.#scroll.addEventListener("scroll", () => this.#draw());
    this.#scroll.addEventListener("keydown", (event) => this.#press(event));
    new ResizeObserver(() => this.#draw()).observe(this.#scroll);
  }

  /** Reads the model anew; what was open stays open. */
  refresh(): void {
    const groups = new Map<string, string[]>();
    for (const id of this.model.children.get("") ?? []) {
      const group = this.#groupOf(id);
      (groups.get(group) ?? groups.set(group, []).get(group)!).push(id);
    }
    this.#groups = [...groups].sort(([a], [b]) => Number(!a.startsWith("root ")) - Number(!b.startsWith("root ")) || collator.compare(a, b));
    if (!this.#begun && groups.size) {
      for (const [group, ids] of groups) if (ids.length <= 40 || groups.size === 1) this.#open.add(group);
      this.#begun = true;
    }
    this.#list();
  }

  #groupOf(id: string): string {
    const data = this.model.graph.getNodeAttributes(id);
    return data.kind === "memory" ? "memories" : data.kind === "entity" ? "entities" : `root ${data.root}`;
  }

  /** The rows of what is open. */
  #list(): void {
    const at = this.#rows[this.#active]?.key;
    this.#rows = [];
    for (const [group, ids] of this.#groups) {
      const label = group.startsWith("root ") ? group.slice(5) || "notes" : group === "memories" ? "Memories" : "Entities";
      const open = this.#open.has(group);
      this.#rows.push({ key: group, label: `${label} (${ids.length})`, depth: 0, kind: "group", open, node: null });
      if (open) for (const id of this.#sort(ids)) this.#add(id, 1);
    }
    const same = this.#rows.findIndex((row) => row.key === at);
    this.#active = same >= 0 ? same : Math.max(0, Math.min(this.#active, this.#rows.length - 1));
    this.#space.style.height = `${this.#rows.length * HEIGHT}px`;
    this.#draw();
  }

  /** Opens what a node lies in and brings its row into sight. */
  follow(id: string | null): void {
    this.#chosen = id;
    if (id !== null && this.model.graph.hasNode(id)) {
      let at: string | null = this.model.graph.getNodeAttribute(id, "parent");
      while (at !== null && this.model.graph.hasNode(at)) {
        this.#open.add(at);
        at = this.model.graph.getNodeAttribute(at, "parent");
      }
      if (!this.model.graph.getNodeAttribute(id, "ghost")) this.#open.add(this.#groupOf(id));
      this.#list();
      const row = this.#rows.findIndex((entry) => entry.node === id);
      if (row >= 0) { this.#active = row; this.#reveal(row); }
    }
    this.#draw();
  }

  /** In the order of their files; kept until other ids come, since many take long. */
  #sort(ids: readonly string[]): readonly string[] {
    const { graph } = this.model, known = this.#sorted.get(ids);
    if (known !== undefined) return known;
    const made = this.#order(ids, graph);
    this.#sorted.set(ids, made);
    return made;
  }

  #order(ids: readonly string[], graph: Model["graph"]): string[] {
    return [...ids].sort((a, b) => {
      const one = graph.getNodeAttributes(a), two = graph.getNodeAttributes(b);
      return collator.compare(one.source, two.source) || collator.compare(one.full, two.full);
    });
  }

  #add(id: string, depth: number): void {
    const below = this.model.children.get(id) ?? [], open = this.#open.has(id);
    const data = this.model.graph.getNodeAttributes(id);
    this.#rows.push({ key: id, label: data.label, depth, kind: data.kind, open: below.length ? open : null, node: id });
    if (open) for (const child of below) this.#add(child, depth + 1);
  }

  #draw(): void {
    const first = Math.max(0, Math.floor(this.#scroll.scrollTop / HEIGHT) - 6);
    const last = Math.min(this.#rows.length, first + Math.ceil(this.#scroll.clientHeight / HEIGHT) + 14);
    const rows: HTMLElement[] = [];
    for (let at = first; at < last; at++) rows.push(this.#make(this.#rows[at]!, at));
    this.#space.replaceChildren(...rows);
    this.#scroll.setAttribute("aria-activedescendant", this.#rows[this.#active] ? `row-${this.#active}` : "");
  }

  #make(row: Row, at: number): HTMLElement {
    const element = make("div", {
      class: `tree-row${row.node !== null && row.node === this.#chosen ? " chosen" : ""}${at === this.#active ? " active" : ""}`,
      id: `row-${at}`, role: "treeitem", "aria-level": row.depth + 1, "aria-expanded": row.open === null ? null : String(row.open),
      "aria-selected": String(row.node !== null && row.node === this.#chosen), "data-node": row.node,
      onclick: () => { this.#active = at; this.#take(row); },
    },
      make("span", { class: "twist", onclick: (event) => { event.stopPropagation(); this.#toggle(row); } }, row.open === null ? "" : row.open ? "▾" : "▸"),
      row.kind !== "group" && make("i", { class: `dot kind-${row.kind}` }),
      make("span", { class: "tree-label", dir: "auto" }, row.label));
    element.style.top = `${at * HEIGHT}px`;
    element.style.paddingInlineStart = `${6 + Math.min(row.depth, 12) * 14}px`;
    return element;
  }

  #take(row: Row): void {
    if (row.node === null) this.#toggle(row);
    else this.choose(row.node);
  }

  #toggle(row: Row): void {
    if (row.open === null) return;
    if (row.open) this.#open.delete(row.key);
    else this.#open.add(row.key);
    this.#list();
  }

  #reveal(at: number): void {
    const top = at * HEIGHT, { scrollTop, clientHeight } = this.#scroll;
    if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) this.#scroll.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  #press(event: KeyboardEvent): void {
    const row = this.#rows[this.#active];
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -1e9, End: 1e9 };
    if (event.key in moves) {
      this.#active = Math.max(0, Math.min(this.#rows.length - 1, this.#active + moves[event.key]!));
      this.#reveal(this.#active);
    } else if (row !== undefined && (event.key === "Enter" || event.key === " ")) this.#take(row);
    else if (row !== undefined && event.key === "ArrowRight" && row.open === false) this.#toggle(row);
    else if (row !== undefined && event.key === "ArrowLeft" && row.open === true) this.#toggle(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.#draw();
  }
}
