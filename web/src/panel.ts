// The chosen node: what it says, what it is linked to, and the forms below. What is read stays while the store changes.

import { ApiError, call, encode, get, tell, type Query } from "./api";
import { makeConnector, makeWayFinder, type FormsHost } from "./connecting";
import { clip, count, keepFocus, make, words, type Child } from "./elements";
import { free } from "./free";
import { render } from "./markdown";
import { GHOST, type NodeData } from "./model";
import { Relations, round } from "./relations";
import type { MemoryView, NodeView } from "./shapes";
import { Turns } from "./turns";

export interface Host {
  open(id: string): void;
  /** Opens what a link's label leads to, found from the node that holds it. */
  follow(label: string, from: string): void;
  closed(): void;
  showWay(nodes: string[]): void;
  expand(id: string): void;
  focus(id: string): void;
  /** What the picture calls a node, "" where it does not know it. */
  nameOf(id: string): string;
  kindOf(id: string): string;
  changed(): void;
  complain(error: unknown): void;
  readonly walk: Query | null;
}

/** Milliseconds after which what could not be renewed is tried again. */
const WAIT = 2000;

export class Panel {
  readonly relations: Relations;
  #id: string | null = null;
  #turns = new Turns();
  /** What is drawn, as it was answered: what is the same is not drawn anew. */
  #said = "";
  #reading = false;
  /** Whether the store changed while an answer was on its way. */
  #again = false;
  #retry = 0;
  readonly #top = make("div");
  readonly #rest = make("div");

  constructor(private readonly box: HTMLElement, private readonly host: Host) {
    this.relations = new Relations({
      open: (id) => host.open(id),
      showWay: (nodes) => host.showWay(nodes),
      nameOf: (id) => host.nameOf(id),
      changed: () => { host.changed(); void this.renew(); },
      complain: (error) => host.complain(error),
      get walk() { return host.walk; },
    });
    box.append(this.#top, this.#rest);
  }

  get shown(): string | null {
    return this.#id;
  }

  close(): void {
    this.#leave(null);
    this.box.hidden = true;
    this.#top.replaceChildren();
  }

  /** Shows a node: its name at once, the rest when it is answered. */
  show(id: string): Promise<void> {
    if (this.#id !== id) this.#begin(id);
    return this.#read();
  }

  showGhost(id: string, data: NodeData): void {
    const waits = data.waits.map((wait) => make("li", {},
      make("button", { class: "link", dir: "auto", onclick: () => this.host.open(wait.source) }, clip(this.host.nameOf(wait.source) || wait.source, 90)),
      make("span", { class: "soft" }, ` ${words(wait.type)}${wait.count > 1 ? `, ${wait.count} times` : ""}`)));
    const head = this.#head(data.full, "waits to be written");
    if (this.#id !== id) this.#turn(id, head);
    this.#draw(JSON.stringify(data.waits), head,
      make("p", {}, "Nothing of this name exists yet. These link to it, and find it by themselves once it does:"),
      make("ul", { class: "plain" }, ...waits));
  }

  /** Says that nothing waits for a name any more. */
  showUnwanted(name: string): void {
    this.#turn(null, this.#head(name), make("p", { class: "soft" }, "Nothing links to this name any more."));
  }

  /** Reads what is shown anew, after the store changed. */
  async renew(): Promise<void> {
    if (this.#id === null || this.#id.startsWith(GHOST)) return;
    if (this.#reading) this.#again = true;
    else await this.#read();
  }

  /** Walks anew, after it was changed what walks may use. */
  async relate(): Promise<void> {
    if (!this.#rest.hidden) await this.relations.walk();
  }

  /** Forgets what was shown, and gives up what was asked for it. */
  #leave(id: string | null): void {
    this.#turns.next();
    window.clearTimeout(this.#retry);
    this.#id = id;
    this.#said = "";
    this.#reading = this.#again = false;
    this.relations.begin(id);
    this.#rest.hidden = true;
    this.#rest.replaceChildren();
    this.box.removeAttribute("aria-busy");
  }

  #begin(id: string): void {
    const { relations } = this, host: FormsHost = {
      open: (to) => this.host.open(to),
      showWay: (nodes) => this.host.showWay(nodes),
      get rank() { return relations.rank; },
      connected: () => void this.#connected(id),
      failed: (error) => this.#failAct(id, error),
    };
    this.#turn(id, this.#head(this.host.nameOf(id) || "…", this.host.kindOf(id)));
    this.#rest.replaceChildren(relations.head, relations.list, makeWayFinder(id, host), makeConnector(id, host));
  }

  /** Turns to something else. Whoever was in the panel is at its head then. */
  #turn(id: string | null, ...parts: Child[]): void {
    const within = this.box.contains(document.activeElement);
    this.#leave(id);
    this.#draw("", ...parts);
    this.box.hidden = false;
    this.box.scrollTop = 0;
    if (within) this.#top.querySelector("h2")?.focus({ preventScroll: true });
  }

  async #read(): Promise<void> {
    const id = this.#id!, turn = this.#turns.next();
    window.clearTimeout(this.#retry);
    this.#reading = true;
    this.box.setAttribute("aria-busy", "true");
    try {
      const view = await get<NodeView>(`/nodes/${encode(id)}`, { depth: 0 }, turn);
      const memory = view.kind === "memory" ? await get<MemoryView>(`/memories/${encode(id)}`, {}, turn).catch(() => null) : null;
      await free();
      if (turn.aborted) return;
      this.#drawNode(view, memory);
      await this.relations.walk();
    } catch (error) {
      if (!turn.aborted) this.#fail(id, error);
    } finally {
      if (!turn.aborted) this.#end();
    }
  }

  #end(): void {
    const again = this.#again;
    this.#reading = this.#again = false;
    this.box.removeAttribute("aria-busy");
    if (again) void this.renew();
  }

  /** What is gone is said; else what is read stays, and is tried again. */
  #fail(id: string, error: unknown): void {
    const gone = error instanceof ApiError && error.status === 404;
    if (!gone) this.#retry = window.setTimeout(() => void this.renew(), WAIT);
    if (!gone && this.#said !== "") return;
    this.#rest.hidden = true;
    this.#said = "";
    keepFocus(this.#top, () => this.#top.replaceChildren(this.#head(gone ? "This is gone" : this.host.nameOf(id) || "Not to be read"),
      make("p", { class: "wrong", role: "alert" }, tell(error))), "h2");
  }

  #head(title: string, kind = "", id = ""): HTMLElement {
    return make("header", { class: "panel-head" },
      make("div", { class: "panel-title" },
        kind !== "" && make("p", { class: "kind" }, make("i", { class: `dot kind-${kind === "waits to be written" ? "ghost" : kind}` }), kind),
        make("h2", { dir: "auto", tabindex: -1, id: "panel-name", "data-id": id || null }, clip(title, 240))),
      make("button", { class: "icon", "aria-label": "Close", onclick: () => this.host.closed() }, "×"));
  }

  #draw(said: string, ...parts: Child[]): void {
    if (said !== "" && said === this.#said) return;
    this.#said = said;
    const { scrollTop } = this.box;
    keepFocus(this.#top, () => this.#top.replaceChildren(...parts.filter((part): part is Node => part instanceof Node)), "h2");
    this.box.scrollTop = scrollTop;
  }

  #drawNode(view: NodeView, memory: MemoryView | null): void {
    const crumbs = view.breadcrumb.flatMap((crumb, at): Child[] => [
      at > 0 && " › ", make("button", { class: "link", dir: "auto", onclick: () => this.host.open(crumb.id) }, clip(crumb.label, 60))]);
    // Each reading warms a node: that alone is no reason to draw it anew.
    const said = JSON.stringify([{ ...view, temperature: 0 }, memory]);
    if (said === this.#said) this.#top.querySelector(".warmth")?.replaceWith(drawWarmth(view));
    this.#draw(said,
      this.#head(view.label || view.id, view.kind, view.id),
      crumbs.length > 0 && make("nav", { class: "crumbs", "aria-label": "Lies in" }, ...crumbs),
      make("p", { class: "facts" }, listFacts(view, memory).join(" · ")),
      drawWarmth(view),
      view.tags.length > 0 && make("p", { class: "tags" }, ...view.tags.slice(0, 60).map((tag) => make("span", { class: "tag", dir: "auto" }, `#${tag}`))),
      make("div", { class: "row" },
        make("button", { id: "expand", onclick: () => this.host.expand(view.id), title: "e" }, "Expand"),
        make("button", { id: "focus", onclick: () => this.host.focus(view.id), title: "f" }, "Focus"),
        make("button", { id: "pin", "aria-pressed": String(view.pinned), onclick: () => void this.#pin(view) }, view.pinned ? "Unpin" : "Pin")),
      make("article", { class: "text" }, render(view.text || view.content, (label) => this.host.follow(label, view.id))));
    this.#rest.hidden = false;
  }

  async #pin(view: NodeView): Promise<void> {
    try {
      await call("POST", `/memories/${encode(view.id)}/${view.pinned ? "unpin" : "pin"}`);
      this.host.changed();
      await this.renew();
    } catch (error) {
      this.#failAct(view.id, error);
    }
  }

  #failAct(id: string, error: unknown): void {
    if (this.#id === id) this.relations.complain(error);
    else this.host.complain(error);
  }

  async #connected(id: string): Promise<void> {
    this.host.changed();
    if (this.#id !== id) return;
    await this.renew();
    if (this.#id === id) this.relations.list.scrollIntoView({ block: "nearest" });
  }
}

function drawWarmth(view: NodeView): HTMLElement {
  const bar = make("span", { class: "warmth-level" }), told = `temperature ${view.temperature.toFixed(2)}`;
  bar.style.inlineSize = `${Math.round(view.temperature * 100)}%`;
  return make("div", { class: "warmth", role: "img", "aria-label": told, title: told }, bar);
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
