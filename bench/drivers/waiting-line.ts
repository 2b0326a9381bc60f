import { Client } from 'pg';
import type { Ledger } from '#libs/ledger/ledger.js';
import type { OnSoldOut } from '#libs/ledger/waitlist-terms.js';
import { type Statement, sqlFile } from '#libs/postgres/statement.js';
import { claimOf } from './claims.js';
import type { LedgerWitness } from './ledger-witness.js';

const sql = (name: string): Statement => sqlFile(new URL(`../sql/${name}.sql`, import.meta.url));
const waitingCounts = sql('waiting_counts');
const placesRead = sql('places_read');
const storeId = 'bench';
const claimsPerBatch = 500;

/** Puts a sku on sale and sells all of it, and resolves with the orders. */
export async function soldOut(witness: LedgerWitness, skuId: string, capacity: number): Promise<string[]> {
  await witness.putSkus(storeId, [skuId], capacity);
  return admit(witness.ledger, { skuId, tag: `${skuId}-holder`, count: capacity, onSoldOut: 'REFUSE' });
}

/** Lets so many users wait for a sku that is sold out, one unit each, and resolves with their entries in their order. */
export function joinLine(witness: LedgerWitness, skuId: string, count: number): Promise<string[]> {
  return admit(witness.ledger, { skuId, tag: `${skuId}-waiter`, count, onSoldOut: 'JOIN_WAITLIST' });
}

interface Crowd {
  skuId: string;
  tag: string;
  count: number;
  onSoldOut: OnSoldOut;
}

/** The ids of those who came: of their orders, or of their entries. */
async function admit(ledger: Ledger, { skuId, tag, count, onSoldOut }: Crowd): Promise<string[]> {
  const claims = Array.from({ length: count }, (_, n) => {
    const { notAfter: _notAfter, ...claim } = claimOf({ storeId, skuIds: [skuId], tag }, n);
    return { ...claim, onSoldOut, record: true };
  });
  const wanted = onSoldOut === 'REFUSE' ? 'ORDER' : 'WAITLISTED';
  for (let from = 0; from < count; from += claimsPerBatch) {
    const decisions = await ledger.claimsAdmit(claims.slice(from, from + claimsPerBatch));
    const other = decisions.find(({ kind }) => kind !== wanted);
    if (other) throw new Error(`a claim was told ${JSON.stringify(other)}`);
  }
  return claims.map(({ orderId }) => orderId);
}

/** Looks at lines, as the ledger's owner. */
export class LineWatcher {
  private constructor(private readonly client: Client) {}

  static async open(connectionString: string): Promise<LineWatcher> {
    const client = new Client({ connectionString });
    await client.connect();
    return new LineWatcher(client);
  }

  async analyze(): Promise<void> {
    await this.client.query('ANALYZE');
  }

  /** Counts that are not as they must be when so many wait for a sku and nobody has left. */
  async violations(skuId: string, waiting: number): Promise<string[]> {
    const { rows } = await this.client.query<Record<string, number>>(waitingCounts.text, [skuId]);
    return Object.entries(rows[0] ?? {})
      .filter(([, count]) => count !== waiting)
      .map(([name, count]) => `${name}: ${count} where ${waiting} wait`);
  }

  /** How many wait ahead of each of some entries, and the milliseconds that one takes. */
  async places(entryIds: readonly string[]): Promise<{ ahead: Map<string, number>; msEach: number }> {
    const begun = performance.now();
    const { rows } = await this.client.query<{ entry_id: string; people_ahead: number }>({
      ...placesRead,
      values: [entryIds],
    });
    const msEach = (performance.now() - begun) / entryIds.length;
    return { ahead: new Map(rows.map((row) => [row.entry_id, row.people_ahead])), msEach };
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
