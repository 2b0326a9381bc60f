import type { Outcome } from '../../services/inventory/src/app/placement.js';
import type { TriedClaim } from './claims.js';

/** One gate: let-in, and the journal of its sku. Times by Redis's clock. */
export interface Gate {
  letIn: number;
  undecided: number;
  version: number;
  openFromMs: number;
  openUntilMs: number;
  readonly claims: Map<string, { quantity: number; stampMs: number }>;
}

/** The note of a request id. */
export type Mark =
  | {
      readonly state: 'EXECUTING';
      readonly fingerprint: string;
      readonly owner: number;
      readonly leaseUntilMs: number;
      /** Since when marks were known when it began; NaN when it is not the first, or may have begun once before. */
      readonly sinceMs: number;
    }
  | { readonly state: 'TRIED'; readonly fingerprint: string }
  | {
      readonly state: 'DONE';
      readonly fingerprint: string;
      readonly outcome: Exclude<Outcome, { kind: 'FAULT' }>;
      readonly toldAtMs: number;
    };

/** All keys of one shard. */
export interface Keys {
  readonly gates: Map<string, Gate>;
  readonly promised: Map<string, { stampMs: number; claim: TriedClaim }>;
  readonly marks: Map<string, Mark>;
  /** When each gateway had its last reply, or its first one. */
  readonly gateways: Map<string, number>;
  /** Since when a mark that is not there proves something, and of which run. */
  since: { runId: number; ms: number } | undefined;
}

/** A Redis that can lose what it has. */
export class Redis {
  keys: Keys = noKeys();
  runId = 1;
  /** How often it lost something. */
  losses = 0;
  #saved: Keys = noKeys();

  constructor(
    private readonly clock: () => number,
    private readonly aheadMs: number,
  ) {
    this.keys.since = { runId: this.runId, ms: 0 };
  }

  get nowMs(): number {
    return this.clock() + this.aheadMs;
  }

  save(): void {
    this.#saved = copyOf(this.keys);
  }

  /** Starts again from what was saved last. */
  rewind(): void {
    this.keys = copyOf(this.#saved);
    this.runId += 1;
    this.losses += 1;
  }

  flush(): void {
    this.keys = noKeys();
    this.losses += 1;
  }

  /** Loses the gate of a sku, the promises, or since when marks are kept. Marks alone are not lost: it evicts nothing. */
  loseKey(which: number): void {
    const { gates, promised } = this.keys;
    const skuId = [...gates.keys()][which % gates.size];
    if (which % 3 === 0) promised.clear();
    else if (which % 3 === 1) this.keys.since = undefined;
    else if (skuId !== undefined) gates.delete(skuId);
    this.losses += 1;
  }

  evictMarks(): void {
    this.keys.marks.clear();
    this.losses += 1;
  }
}

function noKeys(): Keys {
  return { gates: new Map(), promised: new Map(), marks: new Map(), gateways: new Map(), since: undefined };
}

function copyOf({ gates, promised, marks, gateways, since }: Keys): Keys {
  return {
    gates: new Map([...gates].map(([skuId, gate]) => [skuId, { ...gate, claims: new Map(gate.claims) }])),
    promised: new Map(promised),
    marks: new Map(marks),
    gateways: new Map(gateways),
    since,
  };
}
