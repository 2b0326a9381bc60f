const tickMs = 25;

/**
 * Waits of many on one timer. All that are due at a tick go on together, so that what they ask for next goes in one batch;
 * while nobody waits there is no timer.
 */
export class SharedTimer {
  #waits: { readonly dueAt: number; readonly resolve: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Resolves at `dueAt` of performance.now(), or one tick later. */
  until(dueAt: number): Promise<undefined> {
    return new Promise((resolve) => {
      this.#waits.push({ dueAt, resolve: () => resolve(undefined) });
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
    });
  }

  #tick(): void {
    const now = performance.now();
    const due = this.#waits.filter(({ dueAt }) => dueAt <= now);
    if (due.length > 0) this.#waits = this.#waits.filter(({ dueAt }) => dueAt > now);
    if (this.#waits.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const { resolve } of due) resolve();
  }
}
