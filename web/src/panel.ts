// The chosen node: what it says, what it is linked to and by which way, and the connections that a person adds.

import { ApiError, call, encode, get } from "./api";
import { confirm } from "./dialogs";
import { clip, count, make, settle, words, type Child } from "./elements";
import { render } from "./markdown";
import type { NodeData } from "./model";
import { findHits } from "./search";
import { TYPES, type NodeView, type Related } from "./shapes";

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
}

export class Panel {
  depth = 1;
  rank: "strength" | "sum" = "strength";
  #id: string | null = null;
  #relations = make("div", { class: "relations" });

  constructor(private readonly box: HTMLElement, private readonly host: Host) {}

  get shown(): string | null {
    return this.#id;
  }

  close(): void {
    this.#id = null;
    this.box.hidden = true;
    this.box.replaceChildren();
  }

  async show(id: string): Promise<void> {
    this.#id = id;
    this.box.hidden = false;
    this.box.setAttribute("aria-busy", "true");
    try {
      const view = await get<NodeView>(`/nodes/${encode(id)}`, { depth: 0 });
      if (this.#id !== id) return;
      this.#draw(view);
      await this.#relate(view.id);
    } catch (error) {
      if (this.#id === id) this.box.replaceChildren(this.#head("Not to be read"), make("p", { class: "wrong" }, tell(error)));
    } finally {
      this.box.removeAttribute("aria-busy");
    }
  }

  showGhost(id: string, data: NodeData): void {
    this.#id = id;
    this.box.hidden = false;
    const waits = data.waits.map((wait) => make("li", {},
      make("button", { class: "link", dir: "auto", onclick: () => this.host.open(wait.source) }, this.host.nameOf(wait.source)),
      make("span", { class: "soft" }, ` ${words(wait.type)}${wait.count > 1 ? `, ${wait.count} times` : ""}`)));
    this.box.replaceChildren(this.#head(data.full, "waits to be written"),
      make("p", {}, "Nothing of this name exists yet. These link to it, and find it by themselves once it does:"),
      make("ul", { class: "plain" }, ...waits));
  }

  /** Reads what is shown anew, after the store changed. */
  async renew(): Promise<void> {
    if (this.#id !== null && !this.#id.startsWith("ghost:")) await this.show(this.#id);
  }

  #head(title: string, kind = "", id = ""): HTMLElement {
    return make("header", { class: "panel-head" },
      make("div", { class: "panel-title" },
        kind !== "" && make("p", { class: "kind" }, make("i", { class: `dot kind-${kind === "waits to be written" ? "ghost" : kind}` }), kind),
        make("h2", { dir: "auto", tabindex: -1, "data-id": id || null }, clip(title, 240))),
      make("button", { class: "icon", "aria-label": "Close", onclick: () => this.host.closed() }, "×"));
  }

  #draw(view: NodeView): void {
    const crumbs = view.breadcrumb.flatMap((crumb, at): Child[] => [
      at > 0 && " › ", make("button", { class: "link", dir: "auto", onclick: () => this.host.open(crumb.id) }, clip(crumb.label, 60))]);
    const place = [view.root, view.source].filter(Boolean).join("/");
    this.box.replaceChildren(
      this.#head(view.label || view.id, view.kind, view.id),
      crumbs.length > 0 && make("nav", { class: "crumbs", "aria-label": "Lies in" }, ...crumbs) || "",
      make("p", { class: "facts" }, [place, view.tokens > 0 && `${count(view.tokens)} tokens`].filter(Boolean).join(" · ")),
      this.#warmth(view),
      view.tags.length > 0 && make("p", { class: "tags" }, ...view.tags.map((tag) => make("span", { class: "tag", dir: "auto" }, `#${tag}`))) || "",
      make("div", { class: "row" },
        make("button", { onclick: () => this.host.expand(view.id), title: "e" }, "Expand"),
        make("button", { onclick: () => this.host.focus(view.id), title: "f" }, "Focus"),
        make("button", { id: "pin", "aria-pressed": String(view.pinned), onclick: () => void this.#pin(view) }, view.pinned ? "Unpin" : "Pin")),
      make("article", { class: "text" }, render(view.text || view.content, (label) => this.host.follow(label, view.id))),
      this.#relationHead(view.id), this.#relations, this.#connector(view.id));
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

  #later = settle((id: string) => void this.#relate(id), 120);

  async #relate(id: string): Promise<void> {
    try {
      const found = await get<{ related: Related[] }>(`/memories/${encode(id)}/related`, { depth: this.depth, limit: 60, rank: this.rank });
      if (this.#id !== id) return;
      this.#relations.replaceChildren(...(found.related.length
        ? found.related.map((item) => this.#relation(id, item))
        : [make("p", { class: "soft" }, "Nothing is linked to it yet.")]));
    } catch (error) {
      this.#relations.replaceChildren(make("p", { class: "wrong" }, tell(error)));
    }
  }

  #relation(id: string, item: Related): HTMLElement {
    const steps = item.path.flatMap((step): Child[] => [
      make("span", { class: `hop type-${step.relationship_type.replace("_", "-")}`, title: `${step.origin}, weight ${step.weight}` },
        step.direction === "out" ? "→" : "←", make("small", {}, `${words(step.relationship_type)} ${round(step.weight)}`)),
      make("button", { class: "link", dir: "auto", onclick: () => this.host.open(step.id) }, clip(step.label || step.id, 70))]);
    const last = item.direct;
    const way = [id, ...item.path.map((step) => step.id)];
    const row = make("div", { class: "relation", "data-node": item.memory.id },
      make("div", { class: "way" }, ...steps),
      make("div", { class: "relation-tools" },
        make("span", { class: "score", title: "score" }, round(item.score)),
        item.path.length > 1 && make("button", { class: "small", "aria-label": `Show the way to ${item.memory.label}`, onclick: () => this.host.showWay(way) }, "way"),
        last !== null && make("button", { class: "small", "aria-label": `Remove the connection to ${item.memory.label}`, onclick: () => void this.#remove(last) }, "remove")));
    row.addEventListener("pointerenter", () => this.host.showWay(way));
    row.addEventListener("pointerleave", () => this.host.showWay([]));
    return row;
  }

  async #remove(edge: NonNullable<Related["direct"]>): Promise<void> {
    if (!await confirm("Remove this connection?", `${this.host.nameOf(edge.source_id)} → ${this.host.nameOf(edge.target_id)} (${words(edge.relationship_type)}).`, "Remove")) return;
    try {
      await call("DELETE", `/connections/${encode(edge.source_id)}/${encode(edge.target_id)}`, { relationship_type: edge.relationship_type });
      this.host.changed();
      await this.renew();
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    this.#relations.prepend(make("p", { class: "wrong", role: "alert" }, tell(error)));
  }

  #connector(id: string): HTMLElement {
    let target: string | null = null;
    const chosen = make("p", { class: "soft", id: "connect-chosen" }, "");
    const list = make("div", { class: "choices", id: "connect-hits" });
    const field = make("input", { id: "connect-to", type: "search", placeholder: "Find the other end", "aria-label": "Other end", autocomplete: "off" });
    const type = make("select", { id: "connect-type", "aria-label": "Type" }, ...TYPES.map((name) => make("option", { value: name }, words(name))));
    const strength = make("input", { id: "connect-strength", type: "number", min: 0, max: 1, step: 0.05, value: 1, "aria-label": "Strength" });
    const submit = make("button", { class: "primary", disabled: true }, "Connect");
    const take = (other: string, label: string): void => {
      target = other;
      chosen.textContent = `to ${label}`;
      submit.disabled = false;
      list.replaceChildren();
    };
    field.addEventListener("input", settle(async () => {
      const query = field.value.trim();
      const found = query ? await findHits(query, 6).catch(() => ({ hits: [], notes: [] })) : { hits: [], notes: [] };
      list.replaceChildren(...found.hits.filter((hit) => hit.id !== id).map((hit) => make("button", {
        type: "button", class: "choice", dir: "auto", onclick: () => take(hit.id, hit.label || hit.id),
      }, make("i", { class: `dot kind-${hit.kind}` }), clip(hit.label || hit.id, 70))));
    }, 160));
    const form = make("form", { class: "connector", "aria-label": "Add a connection" },
      make("h3", {}, "Add a connection"), field, list, chosen, make("div", { class: "row" }, type, strength, submit));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (target === null) return;
      call("POST", "/connections", {}, { source_id: id, target_id: target, relationship_type: type.value, strength: Number(strength.value) })
        .then(() => { this.host.changed(); return this.renew(); }).catch((error: unknown) => this.#complain(error));
    });
    return form;
  }
}

export const tell = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The service does not answer. Nothing was changed.";

const round = (value: number): string => String(Math.round(value * 100) / 100);
