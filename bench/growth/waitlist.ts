import { randomInt, randomUUID } from 'node:crypto';
import { runCallers } from '../drivers/callers.js';
import { claimOf } from '../drivers/claims.js';
import { openDirectAdmission } from '../drivers/direct-admission.js';
import { LedgerCopies } from '../drivers/ledger-copies.js';
import { LedgerWitness } from '../drivers/ledger-witness.js';
import { LineWatcher, soldOut } from '../drivers/waiting-line.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import { median } from '../frame/paired-runs.js';
import type { CurvePoint, MeasuredCurve } from './curve.js';

const storeId = 'bench';
const skuId = 'line';
const sizes = { full: [1_000, 10_000, 100_000], quick: [1_000, 3_000] };
const callers = 256;
const placesRead = 500;
const rises = 21;

/** One line, longer and longer: to join it, to be told one's place in it, and to be promoted from it. */
export async function waitlistCurve({ directory, life, quick, progress }: BenchmarkContext): Promise<MeasuredCurve> {
  const copies = await LedgerCopies.open(directory, life);
  const databaseUrl = await copies.make();
  const witness = new LedgerWitness(databaseUrl);
  const watcher = await LineWatcher.open(databaseUrl);
  const door = openDirectAdmission(databaseUrl);
  const points: CurvePoint[] = [];
  const violations: string[] = [];
  const entryOf = (n: number) => claimOf({ storeId, skuIds: [skuId], tag: 'waiter' }, n);
  let [joined, capacity] = [0, 1];
  try {
    await soldOut(witness, skuId, capacity);
    for (const size of quick ? sizes.quick : sizes.full) {
      progress(`a line of ${size}`);
      const from = joined;
      const wanted = size + capacity - 1 - joined;
      const { durationMs } = await runCallers(callers, wanted, (n) => door.join(entryOf(from + n)));
      joined += wanted;
      await watcher.analyze();
      const picked = Array.from({ length: placesRead }, () => entryOf(randomInt(capacity + callers, joined)).orderId);
      const { msEach } = await watcher.places(picked);
      const promotedMs: number[] = [];
      for (let rise = 0; rise < rises; rise += 1) {
        capacity += 1;
        const begun = performance.now();
        await witness.ledger.capacitySet({
          ...{ storeId, skuId, capacity, operator: 'bench', reason: 'more room' },
          ...{ requestId: randomUUID(), force: false },
        });
        promotedMs.push(performance.now() - begun);
      }
      points.push({
        size,
        figures: {
          'joins/s': wanted / (durationMs / 1_000),
          'ms to read a place': msEach,
          'ms to promote one': median(promotedMs),
        },
      });
      violations.push(...(await witness.audited()));
    }
  } finally {
    await door.close();
    await Promise.all([watcher.close(), witness.close()]);
  }
  return { of: 'in line', points, violations };
}
