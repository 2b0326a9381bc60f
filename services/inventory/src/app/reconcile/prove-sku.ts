import { shardOfStore } from '#libs/contracts/order-id.js';
import type { Finding } from '#libs/ledger/reconcile-plans.js';
import type { SkuProof } from '#libs/ledger/sku-proof.js';
import type { GateReading } from '../../domain/gate-judgement.js';
import { MOST_KEPT } from './found.js';
import type { GateParts, ReconcileLedger, StreamFigures } from './ports.js';

/** Where the units of a sku are. */
export interface Units {
  capacity: number;
  overbooked: number;
  free: number;
  reserved: number;
  held: number;
  sold: number;
}

export interface Proof extends SkuProof {
  kept: Units;
  ofOrders: Units;
  ofMovements: Units;
  conserved: boolean;
  oversold: boolean;
  /** Absent: Redis does not answer, or there is none. */
  gate?: GateReading;
  /** Messages with claims in the stream of the sku's shard. Absent: not known. */
  streamMessages?: number;
}

export interface ProveParts {
  readonly ledger: Pick<ReconcileLedger, 'skuProve'>;
  readonly gates?: Pick<GateParts, 'inspection'> | undefined;
  readonly streams?: StreamFigures | undefined;
  readonly shards: number;
}

/** Every figure of a sku as it is kept and as it was added up again, with what Redis and the stream have beside it. */
export async function proveSku(parts: ProveParts, skuId: string): Promise<Proof> {
  const proof = await parts.ledger.skuProve(skuId, MOST_KEPT);
  const { capacity, overbooked, free, reserved, held, sold } = proof.stock;
  const kept = { capacity, overbooked, free, reserved, held, sold };
  const ofOrders = unitsOfOrders(kept, proof.findings);
  const ofMovements = { ...kept, ...figuresOf(proof.findings, 'STOCK_NOT_OF_MOVEMENTS', 'of_movements') };
  const shard = shardOfStore(proof.sku.storeId, parts.shards);
  const [gate, stream] = await Promise.all([
    parts.gates?.inspection.read(shard, [skuId]).then(([reading]) => reading, unknown),
    parts.streams?.claims(shard).catch(unknown),
  ]);
  return {
    ...proof,
    kept,
    ofOrders,
    ofMovements,
    conserved: [ofOrders, ofMovements].every((units) => areSame(units, kept)) && adds(kept),
    oversold: ofOrders.free < 0,
    ...(gate && { gate }),
    ...(stream && { streamMessages: stream.messages }),
  };
}

/** Orders say who has units; what there is and what is kept for waiters are no order's. */
function unitsOfOrders(kept: Units, findings: readonly Finding[]): Units {
  const units = { ...kept, ...figuresOf(findings, 'STOCK_NOT_OF_LINES', 'of_lines') };
  const free = units.capacity + units.overbooked - units.reserved - units.held - units.sold;
  return { ...units, free };
}

/** What an audit found in place of what is kept: it names figures that differ and no others. */
function figuresOf(findings: readonly Finding[], kind: string, name: string): Partial<Units> {
  const figures = findings.find((finding) => finding.kind === kind)?.detail[name];
  return typeof figures === 'object' && figures !== null ? (figures as Partial<Units>) : {};
}

function areSame(a: Units, b: Units): boolean {
  return Object.entries(a).every(([term, units]) => units === b[term as keyof Units]);
}

function adds({ capacity, overbooked, free, reserved, held, sold }: Units): boolean {
  return capacity + overbooked === free + reserved + held + sold && held + sold <= capacity + overbooked;
}

function unknown(): undefined {
  return undefined;
}
