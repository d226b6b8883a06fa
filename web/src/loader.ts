// Keeps the model as the store is: one answer after the other, so that none replaces what is newer. Draws nothing.

import { ApiError, get } from "./api";
import { settle } from "./elements";
import { free } from "./free";
import type { Model } from "./model";
import type { Columns } from "./shapes";

const MOST = 10_000;
/** Nodes that were brought into the picture of a store larger than it; more are let go, oldest first. */
const MOST_BROUGHT = 30;
/** Milliseconds after which an answer that others wait for does not come any more. */
const PATIENCE = 60_000;
const WAITS = [2000, 4000, 8000, 15_000];

export interface Keeper {
  /** The model has changed; `fresh` are new nodes without a place of their own, `begun` tells whether there was anything before. */
  merged(fresh: string[], begun: boolean): void;
  /** The picture could not be renewed; it is tried again, but where a key is wanted. */
  failed(error: unknown): void;
  recovered(): void;
}

export class Loader {
  #line: Promise<unknown> = Promise.resolve();
  /** A load that has not begun. */
  #next: Promise<void> | null = null;
  #brought = new Set<string>();
  #failures = 0;

  constructor(private readonly model: Model, private readonly keeper: Keeper) {}

  /** Loads all anew; who calls while others wait waits with them. Raises ApiError. */
  load(): Promise<void> {
    this.#next ??= this.#queue(() => {
      this.#next = null;
      return this.#load();
    });
    return this.#next;
  }

  /** Loads now, and where that is not possible, again and again. */
  first(): Promise<void> {
    return this.load().then(() => this.#recover(), (error: unknown) => this.#fail(error));
  }

  /** Loads soon, as `first` does. */
  readonly refresh = settle(() => void this.first(), 60);

  /** Fetches a node and what is around it, where the picture is a part of the store. Raises ApiError. */
  bring(id: string): Promise<void> {
    return this.#queue(async () => {
      const sent = await this.#fetchAround(id);
      await free();
      this.#brought.delete(id);
      this.#brought.add(id);
      if (this.#brought.size > MOST_BROUGHT) this.#brought.delete([...this.#brought][0]!);
      const begun = this.model.graph.order > 0;
      this.keeper.merged(this.model.merge(sent, false), begun);
    });
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }

  async #load(): Promise<void> {
    const sent = await get<Columns>("/graph", { compact: true, limit: MOST }, AbortSignal.timeout(PATIENCE));
    const around = sent.truncated ? await Promise.all([...this.#brought].map((id) => this.#fetchAgain(id))) : [];
    await free();
    const begun = this.model.graph.order > 0;
    const fresh = this.model.merge(sent, true);
    for (const part of around) if (part !== null) fresh.push(...this.model.merge(part, false));
    this.keeper.merged(fresh, begun);
  }

  #fetchAround(id: string): Promise<Columns> {
    return get<Columns>("/graph", { compact: true, nodes: id, depth: 1, limit: 500 }, AbortSignal.timeout(PATIENCE));
  }

  /** What was brought before; null where it is gone. Raises ApiError. */
  #fetchAgain(id: string): Promise<Columns | null> {
    return this.#fetchAround(id).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.#brought.delete(id);
      return null;
    });
  }

  #recover(): void {
    if (this.#failures > 0) this.keeper.recovered();
    this.#failures = 0;
  }

  #fail(error: unknown): void {
    this.keeper.failed(error);
    if (error instanceof ApiError && error.status === 401) return;
    window.setTimeout(this.refresh, WAITS[Math.min(this.#failures, WAITS.length - 1)]);
    this.#failures += 1;
  }
}
