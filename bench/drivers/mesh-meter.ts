import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { increase, scrape, total } from '../../deploy/rush/readings.js';
import { postgresTransactions, redisCalls, rpcRequests } from '../../deploy/rush/service-calls.js';
import { meterCpu } from './process-cpu.js';

/**
 * Begins to watch a mesh with one of each service. The function returned says what it has spent since, per item: round
 * trips to Redis, transactions, requests between services and messages that a stream was asked to keep, by its own metrics
 * and without what services do by the clock, and CPU time of services and servers.
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
      rpcs_per_item: rpcRequests(grown) / items,
      messages_per_item: total(grown, 'holdfast_messaging_stored_total', () => true) / items,
      ...spent,
    };
  };
}
