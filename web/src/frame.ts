// What stands around the graph: banner, tabs, drawer, dark and light, legend, the card of an empty store. Knows no node.

import { find, make, type Child } from "./elements";

const THEME = "remem.theme";

let away = false;

/** Tells something, or with "" nothing any more. While the service is away, that alone is told. */
export function banner(text: string, kind = "", ...more: Child[]): void {
  if (!away) show(text, kind, ...more);
}

/** What the banner is about. */
export const bannerKind = (): string => find("banner").dataset["kind"] ?? "";

/** Says that the service is away, or no more. */
export function tellAway(now: boolean): void {
  if (away === now) return;
  away = now;
  show(away ? "The service went away. The picture stays; it is tried again." : "", away ? "lost" : "");
}

function show(text: string, kind: string, ...more: Child[]): void {
  const box = find("banner");
  box.hidden = text === "";
  box.replaceChildren(text, ...more.filter((child): child is Node | string => Boolean(child)));
  box.dataset["kind"] = kind;
}

export function press(id: string, pressed: boolean): void {
  find(id).setAttribute("aria-pressed", String(pressed));
}

export function showEmpty(empty: boolean): void {
  const card = find("empty");
  card.hidden = !empty;
  card.replaceChildren(make("h2", {}, "Nothing is remembered yet"),
    make("p", {}, "Compile a folder of notes, or store a fact. It appears here at once."),
    make("pre", {}, "remem compile notes/\nremem store \"The deploy key rotates on Fridays.\""));
}

/** What the colours mean while they mean warmth. */
export function showLegend(heat: boolean): void {
  const box = find("legend");
  box.hidden = !heat;
  if (heat && !box.firstChild) box.append(make("span", {}, "cold"), make("i", { class: "scale" }), make("span", {}, "warm"));
}

// --- dark and light ---------------------------------------------------------------------------------------------------

export function setTheme(theme: string | null): void {
  if (theme === null) document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset["theme"] = theme;
}

export function readTheme(): string | null {
  const theme = localStorage.getItem(THEME);
  return theme === "dark" || theme === "light" ? theme : null;
}

export function changeTheme(): void {
  const now = document.documentElement.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  localStorage.setItem(THEME, next);
  setTheme(next);
}

// --- the side ---------------------------------------------------------------------------------------------------------

const TABS = ["tree", "filters", "pending"] as const;
type Tab = typeof TABS[number];

export function isSideOpen(): boolean {
  return document.body.classList.contains("side-open");
}

export function openSide(open: boolean): void {
  document.body.classList.toggle("side-open", open);
  find("open-side").setAttribute("aria-expanded", String(open));
  if (open) find(`tab-${chosenTab()}`).focus();
  else if (find("side").contains(document.activeElement)) find("open-side").focus();
}

const chosenTab = (): Tab => TABS.find((tab) => find(`tab-${tab}`).getAttribute("aria-selected") === "true") ?? "tree";

function chooseTab(name: Tab): void {
  for (const tab of TABS) {
    find(`tab-${tab}`).setAttribute("aria-selected", String(tab === name));
    find(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
    find(`${tab}-pane`).hidden = tab !== name;
  }
}

export function bindSide(): void {
  find("open-side").onclick = () => openSide(!isSideOpen());
  TABS.forEach((tab, at) => {
    find(`tab-${tab}`).onclick = () => chooseTab(tab);
    find(`tab-${tab}`).addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      event.preventDefault();
      const other = TABS[(at + step + TABS.length) % TABS.length]!;
      chooseTab(other);
      find(`tab-${other}`).focus();
    });
  });
}
