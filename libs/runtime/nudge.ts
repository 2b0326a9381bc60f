/** Wakes one sleeper before its time. A nudge that comes while nobody sleeps is kept for the next. */
export class Nudge {
  #due = false;
  #wake: (() => void) | undefined;

  give(): void {
    if (this.#wake) this.#wake();
    else this.#due = true;
  }

  /** Resolves after `timeoutMs`, at the next nudge or when `closing` aborts, whichever comes first. */
  async wait(timeoutMs: number, closing: AbortSignal): Promise<void> {
    if (!this.#due && !closing.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        closing.addEventListener('abort', this.#abort, { once: true });
      });
      closing.removeEventListener('abort', this.#abort);
      this.#wake = undefined;
    }
    this.#due = false;
  }

  readonly #abort = (): void => this.#wake?.();
}
