import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from './readings.js';

const EVERY_MS = 250;
const LAG = 'holdfast_claims_pending';

/** Looks at how many messages wait for the order service, four times a second, and remembers the most. */
export class LagWatch {
  #stopped = false;
  readonly #ended: Promise<number>;

  constructor(addresses: string[]) {
    this.#ended = this.#run(addresses);
  }

  async #run(addresses: string[]): Promise<number> {
    let most = 0;
    while (!this.#stopped) {
      for (const { samples } of await scrape(addresses)) {
        const waiting = [...samples].filter(([key]) => key === LAG || key.startsWith(`${LAG}{`));
        most = Math.max(
          most,
          waiting.reduce((sum, [, value]) => sum + value, 0),
        );
      }
      await sleep(EVERY_MS);
    }
    return most;
  }

  /** Ends the watch and gives the most messages seen at once. */
  stop(): Promise<number> {
    this.#stopped = true;
    return this.#ended;
  }
}
