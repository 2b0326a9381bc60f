import { setMaxListeners } from 'node:events';
import type { Logger } from './logger.js';
import { withinDeadline } from './within-deadline.js';

interface Closer {
  readonly name: string;
  readonly close: () => Promise<unknown> | unknown;
}

/**
 * What a process opened, in order, so that it can be closed in reverse.
 *
 * Starting: each part pushes its closer as soon as it is open; `ready()` comes last. Closing: `isReady` turns false and
 * `closing` aborts first, so that probes and loops know; then the closers run one after the other, last opened first,
 * each waiting for what it has in flight. All of them together have the grace time.
 */
export class Lifecycle {
  readonly #closers: Closer[] = [];
  readonly #abort = new AbortController();
  #ready = false;
  #closed: Promise<boolean> | undefined;

  constructor(
    readonly logger: Logger,
    readonly graceMs = 10_000,
  ) {
    setMaxListeners(0, this.closing); // As many as there are loops; the process ends with them.
  }

  /** Aborts when closing begins: what loops and sleepers of the process listen to. */
  get closing(): AbortSignal {
    return this.#abort.signal;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** Registers how to close what was just opened. */
  closer(name: string, close: () => Promise<unknown> | unknown): void {
    this.#closers.push({ name, close });
  }

  /** Says that everything is open. The readiness probe answers yes from here until closing begins. */
  ready(): void {
    if (!this.closing.aborted) this.#ready = true;
  }

  /** Closes all once, however often called. True when every closer ended well within the grace time. */
  close(): Promise<boolean> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<boolean> {
    this.#ready = false;
    this.#abort.abort();
    let current = 'nothing';
    let clean = true;
    const run = async (): Promise<void> => {
      for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop()) {
        current = closer.name;
        try {
          await closer.close();
        } catch (error) {
          clean = false;
          this.logger.error({ err: error, closer: closer.name }, 'closing failed');
        }
      }
    };
    try {
      await withinDeadline(run(), this.graceMs, () => new Error('the grace time is over'));
      return clean;
    } catch {
      const waiting = this.#closers.map((closer) => closer.name).reverse();
      this.logger.error({ hung: current, waiting, graceMs: this.graceMs }, 'closing took too long');
      return false;
    }
  }
}
