import { isOvertaken, isStalled } from '../domain/stalled.js';
import type { Placement } from './placement.js';

const LOOK_EVERY_MS = 50;
/** Between two looks: longer, and the process was held up. */
const HELD_UP_MS = 200;
const NEVER = Number.NEGATIVE_INFINITY;

export interface NoticeStallsOptions {
  /** Nobody decides the claims of this shard; all who wait for that, in the order in which they began to. */
  onStalled(shard: number, placements: Placement[]): void;
  /** Whoever decides has passed this one over. */
  onOvertaken(placement: Placement): void;
}

interface Shard {
  /** Since when each waits, oldest first. */
  readonly waiting: Map<Placement, number>;
  lastNewsAtMs: number;
  /** When the youngest claim was stored that has been decided. */
  decidedMs: number;
}

/** Watches over the tries whose claims the stream has, and tells of those that nobody is going to decide. */
export class NoticeStalls {
  private readonly shards = new Map<number, Shard>();
  private unknownAtMs = NEVER;
  private lastLookAtMs = NEVER;
  private lookingSinceMs = NEVER;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: NoticeStallsOptions) {}

  /** The stream has its claim: from now on somebody should decide it. */
  watch(placement: Placement): void {
    if (placement.answered) return;
    this.shard(placement.shard).waiting.set(placement, placement.storedAtMs ?? performance.now());
    this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** It does not wait any more. If it did until now, it was decided by whoever consumes the stream. */
  decided(placement: Placement): void {
    const shard = this.shards.get(placement.shard);
    if (!shard?.waiting.delete(placement)) return;
    shard.lastNewsAtMs = performance.now();
    if (placement.storedAtMs !== undefined) shard.decidedMs = Math.max(shard.decidedMs, placement.storedAtMs);
  }

  /** It does not wait any more, or its claim goes another way now. */
  forget(placement: Placement): void {
    this.shards.get(placement.shard)?.waiting.delete(placement);
  }

  /** Whoever consumes the stream of this shard gave a sign of life. */
  heard(shard: number): void {
    this.shard(shard).lastNewsAtMs = performance.now();
  }

  /** The ledger was asked for those who wait, knew nothing of some, and said so promptly. */
  unknown(askedAtMs: number): void {
    this.unknownAtMs = askedAtMs;
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const nowMs = performance.now();
    if (nowMs - this.lastLookAtMs > HELD_UP_MS) this.lookingSinceMs = nowMs;
    this.lastLookAtMs = nowMs;
    let isAnyWaiting = false;
    for (const [number, shard] of this.shards) {
      const [waitingSinceMs] = shard.waiting.values();
      if (waitingSinceMs === undefined) continue;
      isAnyWaiting = true;
      const { unknownAtMs, lookingSinceMs } = this;
      if (isStalled({ waitingSinceMs, lastNewsAtMs: shard.lastNewsAtMs, unknownAtMs, lookingSinceMs }, nowMs)) {
        const placements = [...shard.waiting.keys()];
        shard.waiting.clear();
        this.options.onStalled(number, placements);
      } else this.tellOvertaken(shard);
    }
    if (!isAnyWaiting) this.close();
  }

  private tellOvertaken({ waiting, decidedMs }: Shard): void {
    for (const [placement, sinceMs] of waiting) {
      if (!isOvertaken(sinceMs, decidedMs)) return;
      waiting.delete(placement);
      this.options.onOvertaken(placement);
    }
  }

  private shard(number: number): Shard {
    let shard = this.shards.get(number);
    if (!shard) {
      shard = { waiting: new Map(), lastNewsAtMs: NEVER, decidedMs: NEVER };
      this.shards.set(number, shard);
    }
    return shard;
  }
}
