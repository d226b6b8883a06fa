// Follows the store: tells when it changed, when the service went away, and when it answers.

import { ApiError, send } from "./api";

export interface Listener {
  /** It listens: what changes from now on is told. What changed before is not. */
  opened(): void;
  changed(): void;
  lost(): void;
  /** The service wants a key that nobody gave. */
  locked(): void;
}

const WAITS = [1000, 2000, 4000, 8000, 15000];
/** The service says something every 15 seconds: whoever is silent for so many milliseconds is gone. */
const SILENCE = 45_000;
/** Browsers open few connections to one service: pages that nobody has seen for so many milliseconds give theirs back. */
const UNSEEN = 30_000;

/** Listens for as long as the page lives. */
export async function follow(listener: Listener): Promise<void> {
  let failures = 0, hiding = 0, leaving = new AbortController();
  document.addEventListener("visibilitychange", () => {
    window.clearTimeout(hiding);
    if (document.hidden) hiding = window.setTimeout(() => leaving.abort(), UNSEEN);
  });
  const wait = (): Promise<void> => new Promise((resolve) => {
    const done = (): void => { window.clearTimeout(timer); window.removeEventListener("online", done); resolve(); };
    const timer = window.setTimeout(done, WAITS[Math.min(failures, WAITS.length - 1)]);
    window.addEventListener("online", done);
  });
  for (;;) {
    await seen();
    leaving = new AbortController();
    const { signal } = leaving;
    try {
      const answer = await send("GET", "/events", {}, undefined, signal);
      if (answer.status === 401) listener.locked();
      if (!answer.ok || answer.body === null) throw new ApiError(answer.status, "", "no events");
      failures = 0;
      listener.opened();
      await read(answer.body, listener);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return;
    }
    if (signal.aborted) continue;
    listener.lost();
    await wait();
    failures += 1;
  }
}

/** Waits until somebody sees the page. */
function seen(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", function look() {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    });
  });
}

async function read(body: ReadableStream<Uint8Array>, listener: Listener): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let held = "";
  for (;;) {
    const timer = window.setTimeout(() => void reader.cancel(), SILENCE);
    const { done, value } = await reader.read().finally(() => window.clearTimeout(timer));
    if (done) return;
    held += value;
    const parts = held.split(/\r?\n\r?\n/);
    held = parts.pop() ?? "";
    for (const part of parts) take(part, listener);
  }
}

function take(part: string, listener: Listener): void {
  const lines = part.split(/\r?\n/);
  const name = lines.find((line) => line.startsWith("event:"))?.slice(6).trim();
  if (name === "change") listener.changed();
}
