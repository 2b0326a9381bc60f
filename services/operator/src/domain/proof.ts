import type { Finding } from './plan.js';

/** Where the units of a sku are. */
export interface Units {
  capacity: number;
  overbooked: number;
  free: number;
  reserved: number;
  held: number;
  sold: number;
}

/** A gate with its journal. */
export interface GateState {
  loaded: boolean;
  letIn: number;
  undecided: number;
  undecidedOfClaims: number;
  claims: number;
  oldestClaimMs: number;
  version: number;
}

/** Every figure of a sku twice: as it is kept, and as it was added up again. */
export interface Proof {
  skuId: string;
  title: string;
  kept?: Units | undefined;
  ofOrders?: Units | undefined;
  ofMovements?: Units | undefined;
  /** Orders by state. */
  orders: Record<string, number>;
  conserved: boolean;
  oversold: boolean;
  findings: Finding[];
  /** Absent: Redis does not answer, or there is none. */
  gate?: GateState | undefined;
  /** -1: not known. */
  streamMessages: number;
  at?: Date | undefined;
}
