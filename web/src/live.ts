// Follows the store: tells when it changed, and when the service goes away and comes back.

import { ApiError, send } from "./api";

export interface Listener {
  changed(change: number): void;
  lost(): void;
  back(): void;
}

const WAITS = [1000, 2000, 4000, 8000, 15000];

/** Listens for as long as the page lives. */
export async function follow(listener: Listener): Promise<never> {
  let failures = 0;
  for (;;) {
    try {
      const answer = await send("GET", "/events");
      if (!answer.ok || answer.body === null) throw new ApiError(answer.status, "", "no events");
      if (failures) listener.back();
      failures = 0;
      await read(answer.body, listener);
    } catch { /* the service went away: said below */ }
    if (failures === 0) listener.lost();
    await new Promise((resolve) => setTimeout(resolve, WAITS[Math.min(failures, WAITS.length - 1)]));
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
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
  if (name !== "change") return;
  try {
    listener.changed(Number(JSON.parse(data).change));
  } catch {
    listener.changed(-1);
  }
}
