// What a node is linked to and by which way: the list in the panel, how far it looks, and the removing of an edge.

import { call, encode, get, tell, type Query } from "./api";
import { confirm } from "./dialogs";
import { clip, keepFocus, make, settle, words, type Child } from "./elements";
import { free } from "./free";
import type { Related, Step } from "./shapes";
import { Turns } from "./turns";

export interface RelationsHost {
  open(id: string): void;
  showWay(nodes: string[]): void;
  nameOf(id: string): string;
  /** An edge is gone. */
  changed(): void;
  /** Something went wrong with a node that is shown no more. */
  complain(error: unknown): void;
  /** What walks are limited to; null where no edge is shown. */
  readonly walk: Query | null;
}

const MOST = 60;

export const round = (value: number): string => String(Math.round(value * 100) / 100);

/** The hops of a way, each with its edge and the node it leads to. */
export function drawSteps(path: readonly Step[], open: (id: string) => void): Child[] {
  return path.flatMap((step): Child[] => [
    make("span", { class: `hop type-${step.relationship_type.replace("_", "-")}`, title: `${step.origin}, weight ${step.weight}` },
      step.direction === "out" ? "→" : "←", make("small", {}, `${words(step.relationship_type)} ${round(step.weight)}`)),
    make("button", { class: "link", dir: "auto", onclick: () => open(step.id) }, clip(step.label || step.id, 70))]);
}

export class Relations {
  rank: "strength" | "sum" = "strength";
  readonly head: HTMLElement;
  readonly list: HTMLElement;
  #id: string | null = null;
  #turns = new Turns();
  /** What the rows show, as it was answered. */
  #said = "";
  #lit = false;
  readonly #told = make("output", { for: "depth" }, "1");
  readonly #range = make("input", { type: "range", id: "depth", min: 1, max: 5, step: 1, value: 1 });
  readonly #alert = make("div");
  readonly #rows = make("div");

  constructor(private readonly host: RelationsHost) {
    const rank = make("select", { id: "rank", "aria-label": "Ranked by" },
      make("option", { value: "strength" }, "near and strong"), make("option", { value: "sum" }, "sum of weights"));
    const later = settle(() => void this.walk(), 120);
    this.#range.addEventListener("input", () => { this.#told.textContent = this.#range.value; later(); });
    rank.addEventListener("change", () => { this.rank = rank.value === "sum" ? "sum" : "strength"; void this.walk(); });
    this.head = make("div", { class: "relation-head" }, make("h3", {}, "Relations"), make("label", { for: "depth" }, "hops ", this.#told), this.#range, rank);
    this.list = make("div", { class: "relations" }, this.#alert, this.#rows);
  }

  get depth(): number {
    return Number(this.#range.value);
  }

  set depth(depth: number) {
    this.#range.value = String(depth);
    this.#told.textContent = String(depth);
  }

  /** Turns to another node, of which nothing is known yet, or to none. */
  begin(id: string | null): void {
    this.#turns.next();
    this.#id = id;
    this.#said = "";
    this.#darken();
    this.#alert.replaceChildren();
    this.#rows.replaceChildren();
  }

  /** Walks and shows what was found; only the last walk counts. */
  async walk(): Promise<void> {
    const id = this.#id, turn = this.#turns.next(), { walk } = this.host;
    if (id === null) return;
    try {
      const { related } = walk === null ? { related: [] }
        : await get<{ related: Related[] }>(`/memories/${encode(id)}/related`, { depth: this.depth, limit: MOST, rank: this.rank, ...walk }, turn);
      await free();
      if (turn.aborted) return;
      if (this.#alert.dataset["of"] === "walk") this.#alert.replaceChildren();
      this.#draw(id, related, walk === null || Object.values(walk).some((value) => value !== null));
    } catch (error) {
      if (!turn.aborted) this.complain(error, "walk");
    }
  }

  /** Says above the relations what went wrong. What a walk could not do, the next one takes back. */
  complain(error: unknown, of: "walk" | "act" = "act"): void {
    const told = make("p", { class: "wrong", role: "alert" }, tell(error));
    this.#alert.dataset["of"] = of;
    this.#alert.replaceChildren(told);
    if (of === "act") told.scrollIntoView({ block: "nearest" });
  }

  #draw(id: string, related: readonly Related[], narrow: boolean): void {
    const said = JSON.stringify([related, narrow]);
    if (said === this.#said) return;
    this.#said = said;
    this.#darken();
    const rows: HTMLElement[] = related.map((item) => this.#relation(id, item));
    if (!rows.length) rows.push(make("p", { class: "soft" }, narrow ? "Nothing is linked to it by edges that are shown." : "Nothing is linked to it yet."));
    else if (narrow) rows.push(make("p", { class: "soft" }, "By the edges that the filters let through."));
    if (related.length === MOST) rows.push(make("p", { class: "soft" }, `The best ${MOST}.`));
    keepFocus(this.#rows, () => this.#rows.replaceChildren(...rows));
  }

  /** A row that is pointed at and goes is never left. */
  #darken(): void {
    if (this.#lit) this.host.showWay([]);
    this.#lit = false;
  }

  #relation(id: string, item: Related): HTMLElement {
    const last = item.direct, way = [id, ...item.path.map((step) => step.id)], name = clip(item.memory.label || item.memory.id, 80);
    const row = make("div", { class: "relation", "data-node": item.memory.id },
      make("div", { class: "way" }, ...drawSteps(item.path, (to) => this.host.open(to))),
      make("div", { class: "relation-tools" },
        make("span", { class: "score", title: "score" }, round(item.score)),
        item.path.length > 1 && make("button", { class: "small", "aria-label": `Show the way to ${name}`, onclick: () => this.#light(way, false) }, "way"),
        last !== null && make("button", { class: "small", "aria-label": `Remove the connection to ${name}`, onclick: () => void this.#remove(id, last) }, "remove")));
    row.addEventListener("pointerenter", () => this.#light(way, true));
    row.addEventListener("pointerleave", () => { if (this.#lit) this.#darken(); });
    return row;
  }

  /** Lights up a way: as long as it is pointed at, or until something else is chosen. */
  #light(way: string[], pointed: boolean): void {
    this.#lit = pointed;
    this.host.showWay(way);
  }

  async #remove(id: string, edge: NonNullable<Related["direct"]>): Promise<void> {
    // An edge may end at a block, which the picture does not know: then it is the node shown.
    const name = (end: string): string => clip(this.host.nameOf(end) || this.host.nameOf(id) || id, 90);
    const told = `${name(edge.source_id)} → ${name(edge.target_id)} (${words(edge.relationship_type)}, weight ${round(edge.weight)}).`;
    if (!await confirm("Remove this connection?", told, "Remove")) return;
    try {
      await call("DELETE", `/connections/${encode(edge.source_id)}/${encode(edge.target_id)}`, { relationship_type: edge.relationship_type });
      this.host.changed();
    } catch (error) {
      if (this.#id === id) this.complain(error);
      else this.host.complain(error);
    }
  }
}
