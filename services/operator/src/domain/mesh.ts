import type { Switch } from './switches.js';

/** Everything that the gateway can name. */
export interface MeshStatus {
  instances: MeshInstance[];
  switches: Switch[];
  /** Open alerts by kind, such as OVERSOLD. */
  openAlerts: Record<string, number>;
}

/** One process, as far as it can be asked. */
export interface MeshInstance {
  service: string;
  /** host:port. */
  address: string;
  /** Absent: it does not answer, and `problem` says why. */
  status?: InstanceStatus;
  problem: string;
}

/** A process as it sees itself. */
export interface InstanceStatus {
  instance: string;
  version: string;
  startedAt?: Date | undefined;
  servers: { name: string; answers: boolean }[];
  pools: PoolStatus[];
  /** Of inventory. */
  stock?: StockStatus;
  /** Of order. */
  orders?: OrderStatus;
}

/** Without NATS no claims come from a stream, and events wait in the outbox because nobody is there to hear them. */
export function hasStream({ servers }: InstanceStatus): boolean {
  return servers.some(({ name }) => name === 'nats');
}

/** Connections to Postgres. */
export interface PoolStatus {
  name: string;
  size: number;
  inUse: number;
  /** Callers who wait for a connection now. */
  waiting: number;
  longestWaitMs: number;
}

/** none: there is nothing that it could guard. */
export type Breaker = 'closed' | 'open' | 'half_open' | 'none';

/** How orders go through an inventory process. */
export interface StockStatus {
  /** What a sku without a switch of its own gets: redis or postgres; stream or direct. */
  stockPath: string;
  orderPath: string;
  gateBreaker: Breaker;
  streamBreaker: Breaker;
  /** -1: Redis does not answer. */
  journalSize: number;
  journalOldestMs: number;
  inFlight: number;
  parked: number;
  undecided: number;
}

/** How orders get into the ledger and news out of it. */
export interface OrderStatus {
  /** -1: NATS does not answer. */
  consumerLag: number;
  outboxLag: number;
  outboxOldestMs: number;
  deadLetters: number;
}
