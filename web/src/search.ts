// The search box and its list of hits.

import { ApiError, call } from "./api";
import { clip, find, make, settle } from "./elements";
import type { Hit } from "./shapes";

export interface Finder {
  open(id: string): void;
}

/** The snippet with the words that matched marked; `spans` count characters, not UTF-16 units. */
function mark(hit: Hit): (Node | string)[] {
  const letters = [...hit.snippet];
  const parts: (Node | string)[] = [];
  let done = 0;
  for (const [from, to] of hit.spans) {
    if (from < done) continue;
    parts.push(letters.slice(done, from).join(""), make("mark", {}, letters.slice(from, to).join("")));
    done = to;
  }
  parts.push(letters.slice(done).join(""));
  return parts;
}

export class SearchBox {
  readonly #field = find<HTMLInputElement>("query");
  readonly #list = find("hits");
  #hits: Hit[] = [];
  #active = -1;
  #asked: AbortController | null = null;
  /** What the hits shown answer, and whether Enter was pressed before they came. */
  #answered = "";
  #eager = false;

  constructor(private readonly finder: Finder) {
    const ask = settle(() => void this.#ask(), 140);
    this.#field.addEventListener("input", () => { this.#eager = false; ask(); });
    this.#field.addEventListener("keydown", (event) => this.#press(event));
    this.#field.addEventListener("focus", () => { if (this.#hits.length) this.#open(true); });
    document.addEventListener("pointerdown", (event) => {
      if (!(event.target instanceof Element) || !event.target.closest(".finder")) this.#open(false);
    });
  }

  focus(): void {
    this.#field.focus();
    this.#field.select();
  }

  async #ask(): Promise<void> {
    const query = this.#field.value.trim();
    this.#asked?.abort();
    if (!query) { this.#hits = []; this.#answered = ""; return this.#open(false); }
    const asked = this.#asked = new AbortController();
    try {
      const found = await findHits(query, 12, asked.signal);
      if (asked.signal.aborted) return;
      this.#answered = query;
      this.#show(found.hits, found.notes);
      if (this.#eager) this.#take(0);
      this.#eager = false;
    } catch (error) {
      if (asked.signal.aborted) return;
      this.#show([], [error instanceof ApiError ? error.message : "The service does not answer."]);
    }
  }

  #show(hits: Hit[], notes: string[]): void {
    this.#hits = hits;
    this.#active = hits.length ? 0 : -1;
    const rows = hits.map((hit, at) => make("div", {
      class: "hit", role: "option", id: `hit-${at}`, "aria-selected": at === this.#active, onclick: () => this.#take(at),
    },
      make("div", { class: "hit-head" }, make("i", { class: `dot kind-${hit.kind}` }),
        make("span", { class: "hit-label", dir: "auto" }, clip(hit.label || hit.id, 120))),
      hit.breadcrumb.length > 0 && make("div", { class: "crumbs", dir: "auto" }, hit.breadcrumb.map((crumb) => clip(crumb.label, 50)).join(" › ")),
      make("div", { class: "snippet", dir: "auto" }, ...mark(hit)),
      hit.via.length > 0 && make("div", { class: "via", dir: "auto" }, "by " + hit.via.map((step) => clip(step.label || step.id, 50)).join(" → "))));
    if (!hits.length) rows.push(make("div", { class: "nothing" }, "Nothing found."));
    this.#list.replaceChildren(...rows, ...notes.map((note) => make("div", { class: "note" }, note)));
    this.#mark();
    this.#open(true);
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Enter" && this.#answered !== this.#field.value.trim()) { this.#eager = true; return; }
    if (event.key === "Escape") { event.stopPropagation(); this.#eager = false; this.#open(false); this.#field.blur(); return; }
    if (!this.#hits.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#active = (this.#active + step + this.#hits.length) % this.#hits.length;
      this.#mark();
    } else if (event.key === "Enter") this.#take(this.#active);
  }

  #mark(): void {
    [...this.#list.querySelectorAll(".hit")].forEach((row, at) => {
      row.setAttribute("aria-selected", String(at === this.#active));
      if (at === this.#active) row.scrollIntoView({ block: "nearest" });
    });
    this.#field.setAttribute("aria-activedescendant", this.#active < 0 ? "" : `hit-${this.#active}`);
  }

  #take(at: number): void {
    const hit = this.#hits[at];
    if (hit === undefined) return;
    this.#open(false);
    this.#field.blur();
    this.finder.open(hit.id);
  }

  #open(shown: boolean): void {
    this.#list.hidden = !shown;
    this.#field.setAttribute("aria-expanded", String(shown));
  }
}

interface Found { hits: Hit[]; notes: string[] }

export async function findHits(query: string, limit: number, signal?: AbortSignal): Promise<Found> {
  const answer = await call<{ results?: (Hit & { memory?: Hit })[]; hits?: Hit[]; notes?: string[] }>(
    "POST", "/memories/search", {}, { query, limit }, signal);
  const hits = answer.hits ?? (answer.results ?? []).map((result) => ({ ...result, ...(result.memory ?? {}) }));
  return { hits, notes: answer.notes ?? [] };
}
