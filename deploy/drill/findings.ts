import { increase, quantileMs, type Reading, scrape } from '../rush/readings.js';
import type { Backlog } from './backlog.js';
import type { Stage } from './stage.js';

const POOL_WAIT = 'holdfast_postgres_pool_wait_seconds';

/** A sentence for each thing that nobody did. */
export function leftOver(left: Backlog | undefined): string[] {
  if (left === undefined) return ['what is left undone cannot be read'];
  return [
    ...(left.stream.length > 0 ? [`${left.stream.length} messages are left in the stream`] : []),
    ...(left.outbox.length > 0 ? [`${left.outbox.length} events are left in the outbox`] : []),
  ];
}

/** What the ledger finds wrong with itself, and claims that nobody could process. */
export async function ledgerFailures({ sql }: Stage): Promise<string[]> {
  const violations = await sql<{ violation: string; n: string }>(
    'SELECT violation, count(*) AS n FROM ledger.audit(1000) GROUP BY violation',
  );
  const [letters] = await sql<{ n: string }>('SELECT count(*) AS n FROM ledger.dead_letters');
  const dead = Number(letters?.n ?? 0);
  return [
    ...violations.map(({ violation, n }) => `the audit of the ledger finds ${n} times ${violation}`),
    ...(dead > 0 ? [`${dead} claims became dead letters`] : []),
  ];
}

/** The metrics of every process that answers. */
export function readings(stage: Stage): Promise<Reading[]> {
  const { services } = stage.mesh.describe();
  return scrape(Object.values(services).flatMap((processes) => processes.map(({ admin }) => admin)));
}

/**
 * The longest wait of each process for a connection between the two readings, in ms, the longest first. What a process
 * waited for that began meanwhile, nobody waited for but itself.
 */
export function longestWaits(stage: Stage, before: Reading[], after: Reading[]): [process: string, ms: number][] {
  const { services } = stage.mesh.describe();
  const names = new Map(
    Object.entries(services).flatMap(([service, processes]) =>
      processes.map(({ admin }, index): [string, string] => [admin, `${service}-${index + 1}`]),
    ),
  );
  const startOf = (readings: Reading[], address: string): number | undefined =>
    readings.find((reading) => reading.address === address)?.samples.get('process_start_time_seconds');
  return after
    .filter(({ address }) => startOf(before, address) === startOf(after, address))
    .map((reading): [string, number] => {
      const grown = increase(before, [reading]);
      return [names.get(reading.address) ?? reading.address, Math.round(quantileMs(grown, POOL_WAIT, 1))];
    })
    .filter(([, ms]) => ms > 0)
    .sort(([, a], [, b]) => b - a);
}
