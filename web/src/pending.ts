// What waits to be written: the labels that links and connections wait for, most wanted first.

import { clip, keepFocus, make } from "./elements";
import type { Model } from "./model";

const MOST = 300;

interface Waiting { id: string; full: string; count: number }

/** What stands in a pane: what is the same is not drawn anew. */
const drawn = new WeakMap<HTMLElement, string>();

/** Draws the list into a pane; `open` gets the node that stands for what was chosen. */
export function drawPending(pane: HTMLElement, model: Model, open: (id: string) => void): void {
  const { graph } = model;
  const waiting = graph.filterNodes((_id, data) => data.ghost)
    .map((id) => ({ id, full: graph.getNodeAttribute(id, "full"), count: graph.getNodeAttribute(id, "waits").reduce((sum, wait) => sum + wait.count, 0) }))
    .sort((a, b) => b.count - a.count || (a.full < b.full ? -1 : 1));
  const said = JSON.stringify(waiting);
  if (said === drawn.get(pane)) return;
  drawn.set(pane, said);
  keepFocus(pane, () => pane.replaceChildren(...drawList(waiting, open)));
}

function drawList(waiting: readonly Waiting[], open: (id: string) => void): HTMLElement[] {
  if (!waiting.length) return [make("p", { class: "soft" }, "Every link leads somewhere.")];
  return [
    make("p", { class: "soft" }, "Linked, but not written yet. What is written under such a name is linked at once."),
    make("ul", { class: "plain" }, ...waiting.slice(0, MOST).map(({ id, full, count }) => make("li", {},
      make("button", { class: "choice", "data-node": id, onclick: () => open(id) },
        make("i", { class: "dot kind-ghost" }), make("span", { class: "choice-label", dir: "auto" }, clip(full, 90)),
        make("span", { class: "number", title: `${count} links` }, String(count)))))),
    ...waiting.length > MOST ? [make("p", { class: "soft" }, `and ${waiting.length - MOST} more`)] : [],
  ];
}
