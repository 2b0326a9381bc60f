import { setTimeout as sleep } from 'node:timers/promises';
import { type Reading, scrape } from './readings.js';

const EVERY_MS = 250;
const LAG = 'holdfast_messaging_consumer_lag';

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
      most = Math.max(most, lagOf(await scrape(addresses)));
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

/** Every instance tells of the same consumers: one of each counts. */
function lagOf(readings: Reading[]): number {
  const byConsumer = new Map<string, number>();
  for (const [key, value] of readings.flatMap(({ samples }) => [...samples])) {
    if (key.startsWith(LAG)) byConsumer.set(key, Math.max(value, byConsumer.get(key) ?? 0));
  }
  return [...byConsumer.values()].reduce((sum, value) => sum + value, 0);
}
