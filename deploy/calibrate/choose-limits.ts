import type { LimitEntry, LimitsFile, Measured, Predicted } from '#libs/mesh/limits-file.js';
import type { ExpectedSale } from './sales.js';

/** The ledger keeps so much of its rate for everything that is no claim. */
const consumersShare = 0.7;
/** A no costs less than a yes by about so much; the rest of the crowd must be told. */
const callsPerClaim = 4;
/** Work that is begun ends within so long. */
const roomSeconds = 0.15;
const smallestRoom = 64;
const shedAfterMs = 100;
/** An open loop at the whole capacity would fall behind sooner or later. */
const steadyShare = 0.7;
/** However many come, nobody waits longer than this for their turn. */
const longestLineSeconds = 60;
/** What a sku without a stated sale is limited to. */
const plainRate = 50;
const idleConnections = 4;
const mostConnections = 16;

/** One choice with its reason, for people. */
export interface Choice {
  service: string;
  variable: string;
  value: number;
  because: string;
}

/** What was chosen: the file, and the reasons in its order. */
export interface ChosenLimits {
  file: LimitsFile;
  choices: Choice[];
}

/** Limits for a machine that does what was measured, and for these sales. Each sale gets its own, by its own units and crowd. */
export function chooseLimits(measured: Measured, sales: readonly ExpectedSale[]): ChosenLimits {
  const { ledger_per_second: ledger, consumer_per_second: consumer, path_per_second: path, cores } = measured;
  const consume = atLeastOne(consumersShare * ledger);
  const caller = callsPerClaim * consume;
  const room = Math.max(smallestRoom, Math.round(path * roomSeconds));
  const plain = Math.min(plainRate, atLeastOne(path));
  const connections = Math.min(mostConnections, idleConnections + 2 * cores);
  const slower = consumer < consume ? '; one order service does not reach it' : '';
  const choices: Choice[] = [
    choice('order', 'consume_per_second', consume, `${consumersShare} of what the ledger admits${slower}`),
    choice('order', 'postgres_connections', connections, `${idleConnections}, and 2 for each core`),
    choice('inventory', 'postgres_connections', connections - 2, 'as order, less its two admissions'),
    choice('gateway', 'max_in_flight', room, `what the path does in ${roomSeconds} s, at least ${smallestRoom}`),
    choice('gateway', 'shed_after_ms', shedAfterMs, 'a wait that people do not notice yet'),
    choice('gateway', 'caller_rate_per_second', caller, `${callsPerClaim} times what the consumers take`),
    choice('gateway', 'caller_rate_burst', caller, 'what comes within a second'),
    choice('gateway', 'rate_per_second', plain, 'a sku of which nobody said how it sells'),
    choice('gateway', 'rate_burst', plain, 'what comes within a second'),
  ];
  const predicted = predict(path, room);
  const limits = limitsOf(sales, path, room);
  return { file: { version: 1, measured, predicted, services: servicesOf(choices), limits }, choices };
}

/** Who has begun leaves the room in its turn, and waited at most SHED_AFTER_MS before. */
function predict(path: number, room: number): Predicted {
  return { per_second: atLeastOne(steadyShare * path), p99_ms: Math.round((room / path) * 1_000) + shedAfterMs };
}

/**
 * Fast enough to be sold out in time and to answer everybody within a minute, but no faster than the sku's share of the
 * path when all sales are on at once. The burst is its share of the room: so many can be at work at once.
 */
function limitsOf(sales: readonly ExpectedSale[], path: number, room: number): LimitEntry[] {
  const wanted = sales.map(wantedRate);
  const all = wanted.reduce((sum, rate) => sum + rate, 0);
  return sales.map((sale, index) => {
    const rate = wanted[index] ?? 0;
    const share = rate / all;
    const perSecond = Math.max(1, Math.min(Math.ceil(rate), Math.floor(path * share)));
    const burst = Math.max(1, Math.min(sale.units, Math.floor(room * share)));
    const { storeId, skuId, ...stated } = sale;
    return {
      store_id: storeId,
      sku_id: skuId,
      per_second: perSecond,
      burst,
      sale: stated,
      sold_out_after_ms: Math.round(1_000 * soldOutAfter(sale, perSecond, burst) + (1_000 * room) / path),
    };
  });
}

function wantedRate({ units, crowd, target_seconds }: ExpectedSale): number {
  return Math.max(units / target_seconds, crowd / longestLineSeconds);
}

/** Seconds until the last unit is taken, or the last of the crowd has theirs: whoever is slower, the crowd or the limit. */
function soldOutAfter({ units, crowd, over_seconds }: ExpectedSale, perSecond: number, burst: number): number {
  const taken = Math.min(units, crowd);
  return Math.max((taken - burst) / perSecond, (over_seconds * taken) / crowd, 0);
}

function servicesOf(choices: readonly Choice[]): LimitsFile['services'] {
  const services: Record<string, Record<string, number>> = {};
  for (const { service, variable, value } of choices) {
    services[service] = { ...services[service], [variable.toLowerCase()]: value };
  }
  return services;
}

function choice(service: string, setting: string, value: number, because: string): Choice {
  return { service, variable: setting.toUpperCase(), value, because };
}

function atLeastOne(value: number): number {
  return Math.max(1, Math.round(value));
}
