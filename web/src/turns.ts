// Questions of one place of the page: an answer counts only while nothing newer was asked there.

export class Turns {
  #last = new AbortController();

  /** The turn that is on; it is aborted once another begins. */
  get now(): AbortSignal {
    return this.#last.signal;
  }

  /** Begins a turn: what was asked before is given up. */
  next(): AbortSignal {
    this.#last.abort();
    this.#last = new AbortController();
    return this.#last.signal;
  }
}
