// A field that finds a node: what is typed is searched, what is chosen stands below it.

import { clip, make, settle } from "./elements";
import { findHits } from "./search";

export interface Picker {
  readonly parts: HTMLElement[];
  /** The id of what was chosen. */
  readonly value: string | null;
}

/** `taken` is called with what was chosen; the node `without` is not offered. */
export function makePicker(name: string, label: string, without: string, taken: (id: string) => void): Picker {
  let value: string | null = null, asked = 0;
  const chosen = make("p", { class: "soft", id: `${name}-chosen`, dir: "auto", "aria-live": "polite" }, "");
  const list = make("div", { class: "choices", id: `${name}-hits` });
  const field = make("input", { id: `${name}-to`, type: "search", placeholder: label, "aria-label": label, autocomplete: "off" });
  const take = (id: string, shown: string): void => {
    value = id;
    chosen.textContent = `to ${clip(shown, 90)}`;
    field.value = "";
    list.replaceChildren();
    taken(id);
  };
  const search = settle(async () => {
    const query = field.value.trim(), number = ++asked;
    const { hits } = query ? await findHits(query, 6).catch(() => ({ hits: [] })) : { hits: [] };
    if (number !== asked || query !== field.value.trim()) return;
    list.replaceChildren(...hits.filter((hit) => hit.id !== without).map((hit) => make("button", {
      type: "button", class: "choice", "data-node": hit.id, onclick: () => take(hit.id, hit.label || hit.id),
    }, make("i", { class: `dot kind-${hit.kind}` }), make("span", { class: "choice-label", dir: "auto" }, clip(hit.label || hit.id, 70)))));
  }, 160);
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); list.querySelector("button")?.focus(); }
    else if (event.key === "Enter") { event.preventDefault(); list.querySelector("button")?.click(); }
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : null;
    if (step === null) return;
    event.preventDefault();
    ((document.activeElement?.[step] ?? field) as HTMLElement).focus();
  });
  return { parts: [field, list, chosen], get value() { return value; } };
}
