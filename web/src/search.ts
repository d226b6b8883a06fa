// The search box and its list of hits.

import { call, tell } from "./api";
import { clip, find, make, settle } from "./elements";
import { free } from "./free";
import type { Hit } from "./shapes";
import { Turns } from "./turns";

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
  readonly #turns = new Turns();
  readonly #later = settle(() => void this.#ask(), 140);
  /** What is being asked, what the hits shown answer, and whether Enter was pressed before they came. */
  #asking = "";
  #answered = "";
  #eager = false;

  constructor(private readonly finder: Finder) {
    this.#field.addEventListener("input", () => { this.#eager = false; this.#later(); });
    this.#field.addEventListener("keydown", (event) => this.#press(event));
    this.#field.addEventListener("focus", () => this.#return());
    document.addEventListener("pointerdown", (event) => {
      if (!(event.target instanceof Element) || !event.target.closest(".finder")) this.leave();
    });
  }

  focus(): void {
    this.#field.focus();
    this.#field.select();
  }

  /** Closes the list, and gives up what is being asked: whoever is elsewhere by now is not called back. */
  leave(): void {
    this.#later.cancel();
    this.#turns.next();
    this.#asking = "";
    this.#eager = false;
    this.#open(false);
  }

  /** Enter that waits for its answer counts no more. */
  forget(): void {
    this.#eager = false;
  }

  /** The store is another: what was found is asked for again when somebody comes back to it. */
  outdate(): void {
    if (this.#list.hidden) this.#answered = "";
  }

  #return(): void {
    if (this.#query === "") return;
    if (this.#query === this.#answered) this.#open(true);
    else this.#later();
  }

  get #query(): string {
    return this.#field.value.trim();
  }

  async #ask(): Promise<void> {
    this.#later.cancel();
    const query = this.#query, turn = this.#turns.next();
    this.#asking = query;
    if (!query) { this.#hits = []; this.#answered = ""; return this.#open(false); }
    try {
      const { hits, notes } = await findHits(query, 12, turn);
      await free();
      if (turn.aborted) return;
      this.#answered = query;
      this.#show(hits, notes);
      if (this.#eager) this.#take(0);
    } catch (error) {
      if (turn.aborted) return;
      this.#answered = "";
      this.#show([], [tell(error)]);
    }
    this.#asking = "";
    this.#eager = false;
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
    if (!hits.length && this.#answered !== "") rows.push(make("div", { class: "nothing" }, "Nothing found."));
    this.#list.replaceChildren(...rows, ...notes.map((note) => make("div", { class: "note" }, note)));
    this.#mark();
    if (document.activeElement === this.#field) this.#open(true);
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Enter" && (this.#query === "" || this.#query !== this.#answered)) return this.#hurry();
    if (event.key === "Escape") { event.stopPropagation(); this.leave(); this.#field.blur(); return; }
    if (!this.#hits.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#active = (this.#active + step + this.#hits.length) % this.#hits.length;
      this.#mark();
      this.#open(true);
    } else if (event.key === "Enter") this.#take(this.#active);
  }

  /** Opens the first hit as soon as it is known. */
  #hurry(): void {
    this.#eager = true;
    if (this.#query !== "" && this.#asking !== this.#query) void this.#ask();
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
    this.leave();
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
