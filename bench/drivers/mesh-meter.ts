import type { MeshFile } from '../../deploy/local/mesh-file.js';
import { increase, type Reading, scrape, total } from '../../deploy/rush/readings.js';
import { postgresTransactions, redisCalls } from '../../deploy/rush/service-calls.js';

/** What a mesh's own metrics say about a stretch of time. */
export class MeshMeter {
  #before = new Map<string, Reading[]>();

  constructor(private readonly services: MeshFile['services']) {}

  async start(): Promise<void> {
    this.#before = await this.#read();
  }

  /** Calls, transactions and CPU time since `start`, each divided by `items`. What services do on their own clock is left out. */
  async perItem(items: number): Promise<Record<string, number>> {
    const after = await this.#read();
    const grown = [...after].map(([service, readings]) => ({
      service,
      samples: increase(this.#before.get(service) ?? [], readings),
    }));
    const all = grown.flatMap(({ samples }) => samples);
    const cpu = grown.map(({ service, samples }): [string, number] => [
      `${service}_cpu_us_per_call`,
      (total(samples, 'process_cpu_seconds_total', () => true) * 1e6) / items,
    ]);
    return {
      redis_calls_per_call: redisCalls(all) / items,
      pg_transactions_per_call: postgresTransactions(all) / items,
      ...Object.fromEntries(cpu),
    };
  }

  async #read(): Promise<Map<string, Reading[]>> {
    const readings = Object.entries(this.services).map(
      async ([service, processes]): Promise<[string, Reading[]]> => [
        service,
        await scrape(processes.map(({ admin }) => admin)),
      ],
    );
    return new Map(await Promise.all(readings));
  }
}
