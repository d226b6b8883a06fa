// Follows the store: tells when it changed, and when the service goes away and comes back.

import { ApiError, send } from "./api";

export interface Listener {
  changed(): void;
  lost(): void;
  back(): void;
  /** The service wants a key that nobody gave. */
  locked(): void;
}

const WAITS = [1000, 2000, 4000, 8000, 15000];

/** Listens for as long as the page lives. */
export async function follow(listener: Listener): Promise<void> {
  let failures = 0;
  const wait = (): Promise<void> => new Promise((resolve) => {
    const timer = window.setTimeout(resolve, WAITS[Math.min(failures, WAITS.length - 1)]);
    window.addEventListener("online", () => { window.clearTimeout(timer); resolve(); }, { once: true });
  });
  for (;;) {
    try {
      const answer = await send("GET", "/events");
      if (answer.status === 401) listener.locked();
      if (!answer.ok || answer.body === null) throw new ApiError(answer.status, "", "no events");
      if (failures) listener.back();
      failures = 0;
      await read(answer.body, listener);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return;
    }
    if (failures === 0) listener.lost();
    await wait();
    failures += 1;
  }
}

async function read(body: ReadableStream<Uint8Array>, listener: Listener): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
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
