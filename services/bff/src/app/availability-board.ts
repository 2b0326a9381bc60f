import { Fault, faultOf } from '#libs/refusal/fault.js';
import type { Join, Listener, Told } from './feed.js';

/** The most skus that one read may name. */
const skusPerRead = 100;

export interface AvailabilityBoardOptions {
  /** What is told of up to 100 skus, by sku; those that do not exist are left out. Rejects with Faults. */
  read: (skuIds: string[]) => Promise<ReadonlyMap<string, Told>>;
  /** From the end of one round to the begin of the next (1 s). */
  everyMs?: number;
  /** How long reads may fail before the listeners are sent away (15 s). */
  awayMaxMs?: number;
}

interface Watched {
  readonly listeners: Set<Listener>;
  latest: Told | undefined;
}

/**
 * Where the units of skus are, for all who listen: while somebody does, each sku is read once a second, together with up to 99
 * others, however many listen to it. Newcomers' skus are read at once, those that came meanwhile together in the next read.
 */
export class AvailabilityBoard {
  readonly #options: Required<AvailabilityBoardOptions>;
  readonly #watched = new Map<string, Watched>();
  #isGreeting = false;
  #timer: NodeJS.Timeout | undefined;
  #readAtMs = 0;

  constructor({ read, everyMs = 1_000, awayMaxMs = 15_000 }: AvailabilityBoardOptions) {
    this.#options = { read, everyMs, awayMaxMs };
  }

  /** How to listen to a sku. One that does not exist ends with SKU_NOT_FOUND. */
  of(skuId: string): Join {
    return (listener) => this.#join(skuId, listener);
  }

  /** How many skus are read. */
  get size(): number {
    return this.#watched.size;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #join(skuId: string, listener: Listener): () => void {
    let watched = this.#watched.get(skuId);
    if (watched === undefined) {
      watched = { listeners: new Set(), latest: undefined };
      this.#watched.set(skuId, watched);
      if (!this.#isGreeting) void this.#greet();
    }
    const { listeners, latest } = watched;
    listeners.add(listener);
    if (latest !== undefined) listener.heard(latest);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      if (this.#watched.get(skuId)?.listeners === listeners) this.#watched.delete(skuId);
    };
  }

  /** Reads the skus of which nothing is known yet, until there is none. */
  async #greet(): Promise<void> {
    this.#isGreeting = true;
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const fresh = this.#skus(({ latest }) => latest === undefined).slice(0, skusPerRead);
      if (fresh.length === 0) break;
      try {
        await this.#read(fresh);
        for (const skuId of fresh) this.#endIfUnknown(skuId);
      } catch (thrown) {
        for (const skuId of fresh) this.#end(skuId, faultOf(thrown));
      }
    }
    this.#isGreeting = false;
    if (this.#timer === undefined) this.#beginRounds();
  }

  #beginRounds(): void {
    this.#readAtMs = performance.now();
    this.#nextRound();
  }

  #nextRound(): void {
    const isNeeded = this.#watched.size > 0;
    this.#timer = isNeeded ? setTimeout(() => void this.#round(), this.#options.everyMs) : undefined;
  }

  /** A round that fails is made up for by the next one; nobody hears of it before it has lasted. */
  async #round(): Promise<void> {
    const known = this.#skus(({ latest }) => latest !== undefined);
    try {
      for (let from = 0; from < known.length; from += skusPerRead) {
        await this.#read(known.slice(from, from + skusPerRead));
      }
      this.#readAtMs = performance.now();
    } catch (thrown) {
      if (performance.now() - this.#readAtMs >= this.#options.awayMaxMs) {
        for (const skuId of known) this.#end(skuId, faultOf(thrown));
      }
    }
    this.#nextRound();
  }

  #skus(isWanted: (watched: Watched) => boolean): string[] {
    return [...this.#watched].filter(([, watched]) => isWanted(watched)).map(([skuId]) => skuId);
  }

  async #read(skuIds: string[]): Promise<void> {
    const told = await this.#options.read(skuIds);
    for (const [skuId, news] of told) this.#tell(skuId, news);
  }

  #tell(skuId: string, told: Told): void {
    const watched = this.#watched.get(skuId);
    if (watched === undefined || watched.latest?.id === told.id) return;
    watched.latest = told;
    for (const listener of [...watched.listeners]) listener.heard(told);
    if (told.isLast) this.#end(skuId, undefined);
  }

  #endIfUnknown(skuId: string): void {
    if (this.#watched.get(skuId)?.latest !== undefined) return;
    this.#end(skuId, new Fault('SKU_NOT_FOUND', 'There is no such sku', { metadata: { sku_id: skuId } }));
  }

  #end(skuId: string, fault: Fault | undefined): void {
    const watched = this.#watched.get(skuId);
    this.#watched.delete(skuId);
    for (const listener of [...(watched?.listeners ?? [])]) listener.ended(fault);
  }
}
