// What is asked and told in a dialog: the key, a choice, the keys of the page.

import { find, make, words, type Child } from "./elements";
import { TYPES } from "./shapes";

const dialog = (): HTMLDialogElement => find<HTMLDialogElement>("dialog");

/** Shows something and waits until it is closed; gives the value of the button that closed it, "" for Escape. */
async function show(label: string, ...children: Child[]): Promise<string> {
  const box = dialog();
  if (box.open) {
    // Who asked before is answered first: the answer must not be taken for one to what is asked now.
    const closed = new Promise((resolve) => box.addEventListener("close", resolve, { once: true }));
    box.close("");
    await closed;
  }
  box.returnValue = "";
  box.setAttribute("aria-label", label);
  box.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  box.showModal();
  return new Promise((resolve) => box.addEventListener("close", () => resolve(box.returnValue), { once: true }));
}

/** Asks for the key; `[key, whether to keep it]`, or null. */
export async function askKey(refused: boolean): Promise<[string, boolean] | null> {
  const field = make("input", { type: "password", id: "key", autocomplete: "current-password", required: true, autofocus: true });
  const keep = make("input", { type: "checkbox", id: "keep" });
  const form = make("form", { method: "dialog", class: "sheet" },
    make("h2", {}, "This store asks for a key"),
    make("p", { class: refused ? "wrong" : "soft" }, refused ? "That key was refused." : "It is the key that the service was started with."),
    make("label", { for: "key" }, "Key"), field,
    make("label", { class: "check" }, keep, "Keep it in this browser"),
    make("div", { class: "row end" }, make("button", { value: "open", class: "primary" }, "Open")));
  const answer = await show("Key", form);
  return answer === "open" && field.value ? [field.value, keep.checked] : null;
}

export async function confirm(title: string, text: string, action: string): Promise<boolean> {
  const answer = await show(title, make("form", { method: "dialog", class: "sheet" },
    make("h2", {}, title), make("p", {}, text),
    make("div", { class: "row end" }, make("button", { value: "" }, "Keep"),
      make("button", { value: "yes", class: "primary", autofocus: true }, action))));
  return answer === "yes";
}

const KEYS: [string, string][] = [
  ["/", "search"], ["Tab", "go through the page"], ["← → ↑ ↓", "to a neighbour of the chosen node"], ["Enter", "open the chosen node"],
  ["e", "show and fetch its neighbours"], ["f", "only what is near it, or all again"], ["+  −  0", "zoom in, out, show all"],
  ["Esc", "close, or choose nothing"], ["t", "dark or light"], ["?", "this list"],
];

export async function showHelp(): Promise<void> {
  const rows = KEYS.map(([key, does]) => make("div", { class: "key-row" }, make("kbd", {}, key), make("span", {}, does)));
  const kinds = ["document", "heading", "memory", "entity", "ghost"].map((kind) =>
    make("li", {}, make("i", { class: `dot kind-${kind}` }), kind === "ghost" ? "waits to be written" : kind));
  const types = TYPES.map((type) => make("li", {}, make("i", { class: `dash type-${type.replace("_", "-")}` }), words(type)));
  await show("Keys and colours", make("form", { method: "dialog", class: "sheet wide" },
    make("h2", {}, "Keys"), make("div", { class: "keys" }, ...rows),
    make("h2", {}, "Colours"), make("div", { class: "columns" }, make("ul", { class: "plain" }, ...kinds), make("ul", { class: "plain" }, ...types)),
    make("p", { class: "soft" }, "A node is larger the more edges it has, an edge thicker the more it weighs. Edges made by hand are strongest in colour, then links in text, what was found alike, what is only mentioned."),
    make("div", { class: "row end" }, make("button", { value: "", class: "primary", autofocus: true }, "Close"))));
}
