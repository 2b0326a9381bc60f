import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { increase, scrape } from '../../deploy/rush/readings.js';
import { postgresTransactions, redisCalls } from '../../deploy/rush/service-calls.js';
import { meterCpu } from './process-cpu.js';

/**
 * Begins to watch a mesh with one of each service. The function returned says what it has spent since, per item: calls
 * and transactions by its own metrics, without what services do on their own clock, and CPU time of services and servers.
 */
export async function meterMesh({
  services,
  infra,
}: MeshFile): Promise<(items: number) => Promise<Record<string, number>>> {
  const admins = Object.values(services).flatMap((processes) => processes.map(({ admin }) => admin));
  const before = await scrape(admins);
  const cpu = meterCpu({
    ...Object.fromEntries(Object.entries(services).map(([name, [only]]) => [name, only?.pid])),
    ...Object.fromEntries(Object.entries(infra).map(([name, server]) => [name, server?.pid])),
  });
  return async (items) => {
    const spent = cpu(items);
    const grown = increase(before, await scrape(admins));
    return {
      redis_calls_per_item: redisCalls(grown) / items,
      pg_transactions_per_item: postgresTransactions(grown) / items,
      ...spent,
    };
  };
}
