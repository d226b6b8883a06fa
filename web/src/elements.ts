// Makes elements. Text goes in as text: nothing of a note is ever read as HTML.

export type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K, props: Props = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`no element ${id}`);
  return element as T;
}

export const clip = (text: string, longest = 80): string => {
  const line = text.replace(/\s+/g, " ").trim();
  const shown = [...line.slice(0, longest * 2)];
  return shown.length > longest ? shown.slice(0, longest - 1).join("") + "…" : line;
};

export const words = (name: string): string => name.replace(/_/g, " ");
export const count = (number: number): string => number.toLocaleString("en-GB").replace(/,/g, " ");

export interface Settled<A extends unknown[]> {
  (...given: A): void;
  /** Takes back a call that still waits. */
  cancel(): void;
}

/** Waits until nothing has called for a while. */
export function settle<A extends unknown[]>(act: (...given: A) => void, milliseconds: number): Settled<A> {
  let timer = 0;
  const cancel = (): void => window.clearTimeout(timer);
  return Object.assign((...given: A) => {
    cancel();
    timer = window.setTimeout(() => act(...given), milliseconds);
  }, { cancel });
}

/** Draws a part of the page anew. What had the focus there has it again, or else what is alike, or else `instead`. */
export function keepFocus(box: HTMLElement, draw: () => void, instead?: string): void {
  const held = document.activeElement;
  if (!(held instanceof HTMLElement) || !box.contains(held)) return draw();
  draw();
  const alike = [...box.querySelectorAll<HTMLElement>(held.localName)]
    .find((element) => (held.id !== "" ? element.id === held.id : element.textContent === held.textContent));
  const next = held.isConnected ? held : alike ?? (instead === undefined ? null : box.querySelector<HTMLElement>(instead));
  next?.focus({ preventScroll: true });
}
