// Whether the pointer is free: what it is pressed on must still be there when it is let go, or the click is lost.

/** Milliseconds in which a click follows the end of a touch. */
const CLICK = 50;
let presses = 0, pressed = false;
let waiting: (() => void)[] = [];

function release(press: number): void {
  if (press !== presses) return;
  pressed = false;
  const due = waiting;
  waiting = [];
  for (const go of due) go();
}

window.addEventListener("pointerdown", (event) => { if (event.button === 0) { pressed = true; presses++; } }, { capture: true });
// The list of a choice swallows the end of the press that opened it.
for (const name of ["pointerup", "pointercancel", "dragend", "blur", "change", "keydown"]) {
  window.addEventListener(name, () => { window.setTimeout(release, CLICK, presses); }, { capture: true });
}
window.addEventListener("pointermove", (event) => { if (pressed && event.buttons === 0) release(presses); }, { capture: true });

/** Waits until nothing is pressed: to be awaited before anything is drawn that nobody asked for just now. */
export const free = (): Promise<void> => (pressed ? new Promise((resolve) => { waiting.push(resolve); }) : Promise.resolve());
