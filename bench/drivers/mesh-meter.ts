import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { increase, type Sample, scrape, total } from '../../deploy/rush/readings.js';
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
      messages_per_item: messages(grown) / items,
      ...spent,
    };
  };
}

/** Whose calls come from outside. */
const publicFace = 'holdfast.reservation.v1.ReservationService';

/** Messages from one service to another: those of batched streams, each counted where it was written, and two for a call. */
function messages(samples: Sample[]): number {
  const written = ({ stream = '' }: Record<string, string>): boolean => / (sent|answered)$/.test(stream);
  const calls = total(samples, 'holdfast_rpc_requests_total', ({ service }) => service !== publicFace);
  return total(samples, 'holdfast_batch_messages_total', written) + 2 * calls;
}
