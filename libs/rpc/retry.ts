/** A second try waits so long, at random, so that the callers of a peer that died do not all come back at once. */
export function retryDelayMs(): number {
  return 20 + Math.random() * 60;
}

/** Keeps second tries to a tenth of the calls, so that they cannot be what keeps a peer down. */
export class RetryBudget {
  readonly #max = 20;
  #tokens = this.#max;

  /** A call was made. */
  earn(): void {
    this.#tokens = Math.min(this.#max, this.#tokens + 0.1);
  }

  /** True when a second try may be made; it is then counted. */
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
