import { LedgerReader } from '../rush/ledger-reader.js';
import type { Finding } from './findings.js';

/** What is wrong with where the units of the sku are, when these orders were told as taken. */
export async function whatMoved(postgresUrl: string, skuId: string, told: ReadonlySet<string>): Promise<Finding[]> {
  const { skus, orders } = await new LedgerReader(postgresUrl).facts([skuId], 0);
  const [sku] = skus;
  const found = (wrong: string): Finding => ({ target: 'ledger', wrong, sent: '' });
  if (sku === undefined) return [found(`${skuId} is gone`)];
  const { capacity, free, reserved, held, sold, heldByLines, soldByLines, heldByMovements, soldByMovements } = sku;
  const findings: Finding[] = [];
  if (capacity !== free + reserved + held + sold) findings.push(found('the units do not add up to the capacity'));
  if (held !== heldByLines || held !== heldByMovements) findings.push(found('what is held is not what orders hold'));
  if (sold !== soldByLines || sold !== soldByMovements) findings.push(found('what is sold is not what orders have'));
  for (const { orderId, state } of orders) {
    if (state === 'REFUSED' || told.has(orderId)) continue;
    findings.push(found(`order ${orderId} (${state}) took units, and nobody was told`));
  }
  return findings;
}
