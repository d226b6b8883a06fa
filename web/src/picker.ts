// A field that finds a node: what is typed is searched, what is chosen stands below it.

import { tell } from "./api";
import { clip, make, settle } from "./elements";
import { free } from "./free";
import { findHits } from "./search";
import type { Hit } from "./shapes";
import { Turns } from "./turns";

export interface Picker {
  readonly parts: HTMLElement[];
  /** The id of what was chosen. */
  readonly value: string | null;
}

/** `taken` is called with what was chosen; the node `without` is not offered. */
export function makePicker(name: string, label: string, without: string, taken: (id: string) => void): Picker {
  let value: string | null = null, answered = "", eager = false;
  const turns = new Turns();
  const chosen = make("p", { class: "soft", id: `${name}-chosen`, dir: "auto", "aria-live": "polite" }, "");
  const list = make("div", { class: "choices", id: `${name}-hits` });
  const field = make("input", { id: `${name}-to`, type: "search", placeholder: label, "aria-label": label, autocomplete: "off" });
  const take = (id: string, shown: string): void => {
    turns.next();
    eager = false;
    value = id;
    chosen.textContent = `to ${clip(shown, 90)}`;
    field.value = "";
    list.replaceChildren();
    taken(id);
  };
  const show = (hits: readonly Hit[], asked: boolean): void => {
    const offered = hits.filter((hit) => hit.id !== without);
    list.replaceChildren(...offered.map((hit) => make("button", {
      type: "button", class: "choice", "data-node": hit.id, onclick: () => take(hit.id, hit.label || hit.id),
    }, make("i", { class: `dot kind-${hit.kind}` }), make("span", { class: "choice-label", dir: "auto" }, clip(hit.label || hit.id, 70)))));
    if (asked && !offered.length) list.replaceChildren(make("p", { class: "soft" }, "Nothing found."));
  };
  const search = settle(async () => {
    const query = field.value.trim(), turn = turns.next();
    try {
      const { hits } = query ? await findHits(query, 6, turn) : { hits: [] };
      await free();
      if (turn.aborted) return;
      show(hits, query !== "");
      answered = query;
      if (eager) list.querySelector("button")?.click();
    } catch (error) {
      if (!turn.aborted) list.replaceChildren(make("p", { class: "wrong", role: "alert" }, tell(error)));
    }
  }, 160);
  field.addEventListener("input", () => { turns.next(); eager = false; search(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); list.querySelector("button")?.focus(); }
    else if (event.key === "Enter") {
      event.preventDefault();
      // What stands there may be what was found for less than was typed.
      if (answered === field.value.trim()) list.querySelector("button")?.click();
      else eager = true;
    }
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : null;
    if (step === null) return;
    event.preventDefault();
    ((document.activeElement?.[step] ?? field) as HTMLElement).focus();
  });
  return { parts: [field, list, chosen], get value() { return value; } };
}
