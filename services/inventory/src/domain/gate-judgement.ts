/** A gate with its journal as it was read. */
export type GateReading =
  | { readonly state: 'MISSING' | 'UNREADABLE'; readonly listed: GateListing }
  | ({ readonly state: 'LOADED'; readonly listed: GateListing } & GateFigures);

/** The figures of a gate that is loaded. */
export interface GateFigures {
  readonly letIn: number;
  /** Units of undecided claims, as counted and as added up from the claims; absent: too many to add up. */
  readonly undecided: number;
  readonly undecidedOfClaims?: number;
  readonly claims: number;
  readonly oldestClaimMs: number;
  /** The stock version that it was set from. */
  readonly version: number;
}

/** Which lists of its shard name the sku: with undecided claims, used since the last sync, loaded. */
export interface GateListing {
  readonly open: boolean;
  readonly used: boolean;
  readonly closing: boolean;
}

/** What may be wrong with a gate. */
export type GateFault =
  | 'GATE_MISSING'
  | 'GATE_UNREADABLE'
  | 'GATE_MISCOUNTED'
  | 'GATE_WRONG'
  | 'GATE_STALE'
  | 'JOURNAL_UNLISTED';

/**
 * What is wrong with a gate beside the stock that the ledger has, if it is like this at rest. `stock` was read after the
 * gate, so that a gate whose version it has not reached was never set from it.
 *
 * A gate whose version is behind may lag, as may one that somebody used since the last sync: whoever judges looks twice.
 */
export function judgeGate(
  gate: GateReading,
  stock: { readonly free: number; readonly version: number },
): GateFault | undefined {
  if (gate.state !== 'LOADED') {
    if (gate.state === 'UNREADABLE') return 'GATE_UNREADABLE';
    // A gate is loaded when somebody wants units: only one that was loaded can be missing.
    return gate.listed.closing ? 'GATE_MISSING' : undefined;
  }
  if (gate.undecidedOfClaims !== undefined && gate.undecidedOfClaims !== gate.undecided) return 'GATE_MISCOUNTED';
  if (gate.claims > 0 && !gate.listed.open) return 'JOURNAL_UNLISTED';
  if (gate.version > stock.version) return 'GATE_WRONG';
  if (gate.letIn === Math.max(0, stock.free - gate.undecided)) return undefined;
  return gate.version === stock.version ? 'GATE_WRONG' : 'GATE_STALE';
}

/** Whether nothing moved between two looks at a gate, and no sync of it is due that would set it right by itself. */
export function stoodStill(before: GateReading, after: GateReading): boolean {
  if (before.state !== 'LOADED' || after.state !== 'LOADED') return before.state === after.state;
  return (
    !after.listed.used &&
    before.letIn === after.letIn &&
    before.undecided === after.undecided &&
    before.undecidedOfClaims === after.undecidedOfClaims &&
    before.version === after.version
  );
}
