// Two forms below a node: the way from it to another one, and a connection that a person adds.

import { call, get, tell } from "./api";
import { make, words } from "./elements";
import { free } from "./free";
import { makePicker } from "./picker";
import { drawSteps } from "./relations";
import { TYPES, type Related } from "./shapes";
import { Turns } from "./turns";

export interface FormsHost {
  open(id: string): void;
  showWay(nodes: string[]): void;
  readonly rank: string;
  /** A connection was made. */
  connected(): void;
  failed(error: unknown): void;
}

/** Finds the best way from a node to another. */
export function makeWayFinder(id: string, host: FormsHost): HTMLElement {
  const told = make("div", { class: "found-way", id: "way-found", "aria-live": "polite" }), turns = new Turns();
  const seek = async (target: string): Promise<void> => {
    const turn = turns.next();
    try {
      const { found } = await get<{ found: Related | null }>("/path", { source: id, target, rank: host.rank }, turn);
      await free();
      if (turn.aborted || !told.isConnected) return;
      if (found === null) return told.replaceChildren(make("p", { class: "soft" }, "No way of at most five hops leads there."));
      told.replaceChildren(make("div", { class: "way" }, ...drawSteps(found.path, (to) => host.open(to))));
      host.showWay([id, ...found.path.map((step) => step.id)]);
    } catch (error) {
      if (!turn.aborted) told.replaceChildren(make("p", { class: "wrong", role: "alert" }, tell(error)));
    }
  };
  const picker = makePicker("way", "Find the way to…", id, (target) => void seek(target));
  return make("section", { class: "finder-part", "aria-label": "The way to another node" }, make("h3", {}, "The way to"), ...picker.parts, told);
}

/** Joins a node with another. */
export function makeConnector(id: string, host: FormsHost): HTMLElement {
  const submit = make("button", { class: "primary", id: "connect-submit", disabled: true }, "Connect");
  const picker = makePicker("connect", "Find the other end", id, () => { submit.disabled = false; });
  const type = make("select", { id: "connect-type", "aria-label": "Type" }, ...TYPES.map((name) => make("option", { value: name }, words(name))));
  const strength = make("input", { id: "connect-strength", type: "number", min: 0, max: 1, step: 0.05, value: 1, required: true, "aria-label": "Strength" });
  const form = make("form", { class: "finder-part", id: "connector", "aria-label": "Add a connection" },
    make("h3", {}, "Add a connection"), ...picker.parts, make("div", { class: "row" }, type, strength, submit));
  const connect = async (target: string): Promise<void> => {
    submit.disabled = true;
    try {
      await call("POST", "/connections", {}, { source_id: id, target_id: target, relationship_type: type.value, strength: Number(strength.value) });
      if (form.isConnected) form.replaceWith(makeConnector(id, host));
      host.connected();
    } catch (error) {
      submit.disabled = false;
      host.failed(error);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (picker.value !== null && !submit.disabled) void connect(picker.value);
  });
  return form;
}
