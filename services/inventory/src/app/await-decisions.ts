import type { Decision } from '#libs/ledger/decision.js';
import type { Logger } from '#libs/runtime/logger.js';
import type { Placement } from './placement.js';

/** Without news for so long, the rows are read. */
const NO_NEWS_MS = 250;
const LOOK_EVERY_MS = 50;
const READ_AT_ONCE = 500;
/** A ledger that takes longer for such a read keeps those who decide waiting, too. */
const PROMPT_MS = 250;

export interface AwaitDecisionsOptions {
  decisionsRead(orderIds: string[]): Promise<Decision[]>;
  /** The rows of some who wait were asked for, at `askedAtMs`, and are not there; the answer came promptly. */
  onUnknown(askedAtMs: number): void;
  /** News about the id of a try that waited. */
  onNews(placement: Placement, news: Decision): void;
  logger: Logger;
}

/**
 * The tries that wait for the ledger's word on their order. News comes from the stream's consumers; it may be lost, so
 * who has heard nothing for 250 ms is looked up, all in one read.
 */
export class AwaitDecisions {
  private readonly waiting = new Map<string, { since: number; placements: Placement[] }>();
  private timer: NodeJS.Timeout | undefined;
  private reading = false;

  constructor(private readonly options: AwaitDecisionsOptions) {}

  get size(): number {
    return this.waiting.size;
  }

  wait(placement: Placement): void {
    const { orderId } = placement.claim;
    const entry = this.waiting.get(orderId);
    if (!entry) this.waiting.set(orderId, { since: performance.now(), placements: [placement] });
    else if (!entry.placements.includes(placement)) entry.placements.push(placement);
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  /** Forgets a try that was answered otherwise. */
  forget(placement: Placement): void {
    const { orderId } = placement.claim;
    const entry = this.waiting.get(orderId);
    if (!entry) return;
    entry.placements = entry.placements.filter((other) => other !== placement);
    if (entry.placements.length === 0) this.waiting.delete(orderId);
  }

  awaits(orderId: string): boolean {
    return this.waiting.has(orderId);
  }

  heard(decision: Decision): void {
    const entry = this.waiting.get(decision.orderId);
    if (!entry) return;
    this.waiting.delete(decision.orderId);
    for (const placement of entry.placements) this.options.onNews(placement, decision);
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    if (this.waiting.size === 0) return this.close();
    if (this.reading) return;
    const overdue = this.overdue();
    if (overdue.length === 0) return;
    this.reading = true;
    const askedAtMs = performance.now();
    try {
      const decisions = await this.options.decisionsRead(overdue);
      for (const decision of decisions) this.heard(decision);
      const isPrompt = performance.now() - askedAtMs <= PROMPT_MS;
      if (isPrompt && decisions.length < overdue.length) this.options.onUnknown(askedAtMs);
    } catch (error) {
      this.options.logger.warn({ err: error, orders: overdue.length }, 'rows of undecided orders could not be read');
    } finally {
      this.reading = false;
    }
  }

  private overdue(): string[] {
    const now = performance.now();
    const overdue: string[] = [];
    for (const [orderId, entry] of this.waiting) {
      if (now - entry.since < NO_NEWS_MS) continue;
      entry.since = now;
      overdue.push(orderId);
      if (overdue.length === READ_AT_ONCE) break;
    }
    return overdue;
  }
}
