// The chosen node: what it says, what it is linked to and by which way, and the connections that a person adds.

import { ApiError, call, encode, get, type Query } from "./api";
import { confirm } from "./dialogs";
import { clip, count, make, settle, words, type Child } from "./elements";
import { render } from "./markdown";
import type { NodeData } from "./model";
import { makePicker } from "./picker";
import { TYPES, type MemoryView, type NodeView, type Related, type Step } from "./shapes";

export interface Host {
  open(id: string): void;
  /** Opens what a link's label leads to, found from the node that holds it. */
  follow(label: string, from: string): void;
  closed(): void;
  showWay(nodes: string[]): void;
  expand(id: string): void;
  focus(id: string): void;
  nameOf(id: string): string;
  changed(): void;
  /** What walks are limited to; null where no edge is shown. */
  readonly walk: Query | null;
}

const MOST = 60;

export class Panel {
  depth = 1;
  rank: "strength" | "sum" = "strength";
  #id: string | null = null;
  #relations = make("div", { class: "relations" });
  /** What a person types in: it outlives a new drawing of the same node. */
  #forms: { id: string; parts: HTMLElement[] } | null = null;

  constructor(private readonly box: HTMLElement, private readonly host: Host) {}

  get shown(): string | null {
    return this.#id;
  }

  close(): void {
    this.#id = null;
    this.#forms = null;
    this.box.hidden = true;
    this.box.replaceChildren();
  }

  async show(id: string): Promise<void> {
    if (this.#id !== id) this.box.scrollTop = 0;
    this.#id = id;
    this.box.hidden = false;
    this.box.setAttribute("aria-busy", "true");
    try {
      const view = await get<NodeView>(`/nodes/${encode(id)}`, { depth: 0 });
      const memory = view.kind === "memory" ? await get<MemoryView>(`/memories/${encode(id)}`).catch(() => null) : null;
      if (this.#id !== id) return;
      this.#draw(view, memory);
      await this.#relate(view.id);
    } catch (error) {
      if (this.#id === id) this.#drawFailure(error);
    } finally {
      if (this.#id === id) this.box.removeAttribute("aria-busy");
    }
  }

  #drawFailure(error: unknown): void {
    const gone = error instanceof ApiError && error.status === 404;
    this.box.replaceChildren(this.#head(gone ? "This is gone" : "Not to be read"), make("p", { class: "wrong", role: "alert" }, tell(error)));
  }

  showGhost(id: string, data: NodeData): void {
    this.#id = id;
    this.#forms = null;
    this.box.removeAttribute("aria-busy");
    this.box.scrollTop = 0;
    this.box.hidden = false;
    const waits = data.waits.map((wait) => make("li", {},
      make("button", { class: "link", dir: "auto", onclick: () => this.host.open(wait.source) }, clip(this.host.nameOf(wait.source), 90)),
      make("span", { class: "soft" }, ` ${words(wait.type)}${wait.count > 1 ? `, ${wait.count} times` : ""}`)));
    this.box.replaceChildren(this.#head(data.full, "waits to be written"),
      make("p", {}, "Nothing of this name exists yet. These link to it, and find it by themselves once it does:"),
      make("ul", { class: "plain" }, ...waits));
  }

  /** Reads what is shown anew, after the store changed. */
  async renew(): Promise<void> {
    if (this.#id !== null && !this.#id.startsWith("ghost:")) await this.show(this.#id);
  }

  /** Walks anew, after it was changed what walks may use. */
  async relate(): Promise<void> {
    if (this.#id !== null && !this.#id.startsWith("ghost:") && this.#relations.isConnected) await this.#relate(this.#id);
  }

  #head(title: string, kind = "", id = ""): HTMLElement {
    return make("header", { class: "panel-head" },
      make("div", { class: "panel-title" },
        kind !== "" && make("p", { class: "kind" }, make("i", { class: `dot kind-${kind === "waits to be written" ? "ghost" : kind}` }), kind),
        make("h2", { dir: "auto", tabindex: -1, "data-id": id || null }, clip(title, 240))),
      make("button", { class: "icon", "aria-label": "Close", onclick: () => this.host.closed() }, "×"));
  }

  #draw(view: NodeView, memory: MemoryView | null): void {
    const held = this.box.contains(document.activeElement) ? document.activeElement?.id : "";
    const { scrollTop } = this.box;
    const crumbs = view.breadcrumb.flatMap((crumb, at): Child[] => [
      at > 0 && " › ", make("button", { class: "link", dir: "auto", onclick: () => this.host.open(crumb.id) }, clip(crumb.label, 60))]);
    if (this.#forms?.id !== view.id) this.#forms = { id: view.id, parts: [this.#wayFinder(view.id), this.#connector(view.id)] };
    this.box.replaceChildren(
      this.#head(view.label || view.id, view.kind, view.id),
      crumbs.length > 0 && make("nav", { class: "crumbs", "aria-label": "Lies in" }, ...crumbs) || "",
      make("p", { class: "facts" }, listFacts(view, memory).join(" · ")),
      this.#warmth(view),
      view.tags.length > 0 && make("p", { class: "tags" }, ...view.tags.slice(0, 60).map((tag) => make("span", { class: "tag", dir: "auto" }, `#${tag}`))) || "",
      make("div", { class: "row" },
        make("button", { id: "expand", onclick: () => this.host.expand(view.id), title: "e" }, "Expand"),
        make("button", { id: "focus", onclick: () => this.host.focus(view.id), title: "f" }, "Focus"),
        make("button", { id: "pin", "aria-pressed": String(view.pinned), onclick: () => void this.#pin(view) }, view.pinned ? "Unpin" : "Pin")),
      make("article", { class: "text" }, render(view.text || view.content, (label) => this.host.follow(label, view.id))),
      this.#relationHead(view.id), this.#relations, ...this.#forms.parts);
    this.box.scrollTop = scrollTop;
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
  }

  #warmth(view: NodeView): HTMLElement {
    const bar = make("span", { class: "warmth-level" });
    bar.style.inlineSize = `${Math.round(view.temperature * 100)}%`;
    return make("div", { class: "warmth", role: "img", "aria-label": `temperature ${view.temperature.toFixed(2)}`, title: `temperature ${view.temperature.toFixed(2)}` }, bar);
  }

  async #pin(view: NodeView): Promise<void> {
    try {
      await call("POST", `/memories/${encode(view.id)}/${view.pinned ? "unpin" : "pin"}`);
      await this.renew();
      this.host.changed();
    } catch (error) {
      this.#complain(error);
    }
  }

  #relationHead(id: string): HTMLElement {
    const told = make("output", { for: "depth" }, `${this.depth}`);
    return make("div", { class: "relation-head" }, make("h3", {}, "Relations"),
      make("label", { for: "depth" }, "hops ", told),
      make("input", {
        type: "range", id: "depth", min: 1, max: 5, step: 1, value: this.depth,
        oninput: (event) => {
          this.depth = Number((event.target as HTMLInputElement).value);
          told.textContent = String(this.depth);
          this.#later(id);
        },
      }),
      make("select", {
        id: "rank", "aria-label": "Ranked by",
        onchange: (event) => { this.rank = (event.target as HTMLSelectElement).value as "sum" | "strength"; void this.#relate(id); },
      }, make("option", { value: "strength", selected: this.rank === "strength" }, "near and strong"),
        make("option", { value: "sum", selected: this.rank === "sum" }, "sum of weights")));
  }

  #asked = 0;
  #later = settle((id: string) => void this.#relate(id), 120);

  async #relate(id: string): Promise<void> {
    try {
      const { walk } = this.host, asked = ++this.#asked;
      const found = walk === null ? { related: [] }
        : await get<{ related: Related[] }>(`/memories/${encode(id)}/related`, { depth: this.depth, limit: MOST, rank: this.rank, ...walk });
      if (this.#id !== id || asked !== this.#asked) return;
      const narrow = walk === null || Object.values(walk).some((value) => value !== null);
      const rows: HTMLElement[] = found.related.map((item) => this.#relation(id, item));
      if (!rows.length) rows.push(make("p", { class: "soft" }, narrow ? "Nothing is linked to it by edges that are shown." : "Nothing is linked to it yet."));
      else if (narrow) rows.push(make("p", { class: "soft" }, "By the edges that the filters let through."));
      if (found.related.length === MOST) rows.push(make("p", { class: "soft" }, `The best ${MOST}.`));
      this.#relations.replaceChildren(...rows);
    } catch (error) {
      if (this.#id === id) this.#relations.replaceChildren(make("p", { class: "wrong", role: "alert" }, tell(error)));
    }
  }

  #relation(id: string, item: Related): HTMLElement {
    const last = item.direct, way = [id, ...item.path.map((step) => step.id)], name = clip(item.memory.label || item.memory.id, 80);
    const row = make("div", { class: "relation", "data-node": item.memory.id },
      make("div", { class: "way" }, ...this.#steps(item.path)),
      make("div", { class: "relation-tools" },
        make("span", { class: "score", title: "score" }, round(item.score)),
        item.path.length > 1 && make("button", { class: "small", "aria-label": `Show the way to ${name}`, onclick: () => this.host.showWay(way) }, "way"),
        last !== null && make("button", { class: "small", "aria-label": `Remove the connection to ${name}`, onclick: () => void this.#remove(last) }, "remove")));
    row.addEventListener("pointerenter", () => this.host.showWay(way));
    row.addEventListener("pointerleave", () => this.host.showWay([]));
    return row;
  }

  #steps(path: readonly Step[]): Child[] {
    return path.flatMap((step): Child[] => [
      make("span", { class: `hop type-${step.relationship_type.replace("_", "-")}`, title: `${step.origin}, weight ${step.weight}` },
        step.direction === "out" ? "→" : "←", make("small", {}, `${words(step.relationship_type)} ${round(step.weight)}`)),
      make("button", { class: "link", dir: "auto", onclick: () => this.host.open(step.id) }, clip(step.label || step.id, 70))]);
  }

  async #remove(edge: NonNullable<Related["direct"]>): Promise<void> {
    if (!await confirm("Remove this connection?", `${this.#nameEnd(edge.source_id)} → ${this.#nameEnd(edge.target_id)} (${words(edge.relationship_type)}, weight ${round(edge.weight)}).`, "Remove")) return;
    try {
      await call("DELETE", `/connections/${encode(edge.source_id)}/${encode(edge.target_id)}`, { relationship_type: edge.relationship_type });
      this.host.changed();
      await this.renew();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** An edge may end at a block, which the picture does not know: then it is the node shown. */
  #nameEnd(id: string): string {
    const name = this.host.nameOf(id);
    return clip(name === id && this.#id !== null ? this.host.nameOf(this.#id) : name, 90);
  }

  #complain(error: unknown): void {
    for (const old of this.#relations.querySelectorAll("[role=alert]")) old.remove();
    const told = make("p", { class: "wrong", role: "alert" }, tell(error));
    this.#relations.prepend(told);
    told.scrollIntoView({ block: "nearest" });
  }

  /** Finds the best way to another node. */
  #wayFinder(id: string): HTMLElement {
    const told = make("div", { class: "found-way", id: "way-found", "aria-live": "polite" });
    const picker = makePicker("way", "Find the way to…", id, (target) => void this.#findWay(id, target, told));
    return make("section", { class: "finder-part", "aria-label": "The way to another node" }, make("h3", {}, "The way to"), ...picker.parts, told);
  }

  async #findWay(id: string, target: string, told: HTMLElement): Promise<void> {
    try {
      const { found } = await get<{ found: Related | null }>("/path", { source: id, target, rank: this.rank });
      if (this.#id !== id) return;
      if (found === null) return told.replaceChildren(make("p", { class: "soft" }, "No way of at most five hops leads there."));
      told.replaceChildren(make("div", { class: "way" }, ...this.#steps(found.path)));
      this.host.showWay([id, ...found.path.map((step) => step.id)]);
    } catch (error) {
      told.replaceChildren(make("p", { class: "wrong", role: "alert" }, tell(error)));
    }
  }

  #connector(id: string): HTMLElement {
    const submit = make("button", { class: "primary", id: "connect-submit", disabled: true }, "Connect");
    const picker = makePicker("connect", "Find the other end", id, () => { submit.disabled = false; });
    const type = make("select", { id: "connect-type", "aria-label": "Type" }, ...TYPES.map((name) => make("option", { value: name }, words(name))));
    const strength = make("input", { id: "connect-strength", type: "number", min: 0, max: 1, step: 0.05, value: 1, required: true, "aria-label": "Strength" });
    const form = make("form", { class: "finder-part", id: "connector", "aria-label": "Add a connection" },
      make("h3", {}, "Add a connection"), ...picker.parts, make("div", { class: "row" }, type, strength, submit));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const target = picker.value;
      if (target === null || submit.disabled) return;
      submit.disabled = true;
      void this.#connect({ source_id: id, target_id: target, relationship_type: type.value, strength: Number(strength.value) })
        .then((done) => { if (!done) submit.disabled = false; });
    });
    return form;
  }

  async #connect(edge: object): Promise<boolean> {
    try {
      await call("POST", "/connections", {}, edge);
      this.#forms = null;
      this.host.changed();
      await this.renew();
      this.#relations.scrollIntoView({ block: "nearest" });
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }
}

function listFacts(view: NodeView, memory: MemoryView | null): string[] {
  const day = (time: string): string => time.slice(0, 10);
  const facts = [[view.root, view.source].filter(Boolean).join("/"), view.tokens > 0 && `${count(view.tokens)} tokens`];
  if (memory !== null) {
    facts.push(words(memory.memory_type).replace(" ", "-"), `importance ${round(memory.importance)}`, memory.source && `from ${clip(memory.source, 60)}`,
      `stored ${day(memory.created_at)}`, memory.expires_at !== null && `expires ${memory.expires_at.slice(0, 16).replace("T", " ")}`);
  }
  return facts.filter((fact): fact is string => Boolean(fact));
}

export const tell = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The service does not answer. Nothing was changed.";

const round = (value: number): string => String(Math.round(value * 100) / 100);
