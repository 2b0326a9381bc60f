import { Redis } from 'ioredis';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import { Client } from 'pg';
import { orderEventsStream } from '#libs/contracts/subjects.js';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { sqlFile } from '#libs/postgres/statement.js';
import { scrape } from '../../deploy/rush/readings.js';
import type { Sample } from './slope.js';

const tableBloat = sqlFile(new URL('../sql/table_bloat.sql', import.meta.url));
const mb = 1e6;

/** What each process metric is called here. */
const processFigures = {
  process_resident_memory_bytes: { name: 'RSS MB', by: mb },
  nodejs_heap_size_used_bytes: { name: 'heap MB', by: mb },
  process_open_fds: { name: 'open files', by: 1 },
} as const;

/** Looks at a mesh again and again, on connections of its own. */
export class Looks {
  readonly samples: Sample[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  readonly #begun = performance.now();

  private constructor(
    private readonly mesh: () => MeshFile,
    private readonly postgres: Client,
    private readonly redis: Redis,
    private readonly nats: NatsConnection,
    private readonly streams: JetStreamManager,
  ) {}

  static async begin(mesh: () => MeshFile, everyMs: number): Promise<Looks> {
    const { infra } = mesh();
    const postgres = new Client({ connectionString: infra.postgres.url });
    await postgres.connect();
    const nats = await connect({ servers: infra.nats?.url ?? '' });
    const looks = new Looks(mesh, postgres, new Redis(infra.redis?.url ?? ''), nats, await nats.jetstreamManager());
    looks.#timer = setInterval(() => {
      looks.#looking = looks.#looking.then(() => looks.#look());
      looks.#looking.catch(() => undefined); // Told by `end`.
    }, everyMs);
    return looks;
  }

  /** Looks no more; rejects when one of the looks failed. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    try {
      await this.#looking;
    } finally {
      this.redis.disconnect();
      await Promise.all([this.postgres.end(), this.nats.close()]);
    }
  }

  async #look(): Promise<void> {
    const atMs = performance.now() - this.#begun;
    const figures = { ...(await this.#processes()), ...(await this.#servers()) };
    this.samples.push({ atMs, figures });
  }

  async #processes(): Promise<Record<string, number>> {
    const processes = Object.entries(this.mesh().services).map(
      ([service, [one]]) => [service, one?.admin ?? ''] as const,
    );
    const readings = await scrape(processes.map(([, admin]) => admin));
    return Object.fromEntries(
      processes.flatMap(([service, admin]) => {
        const samples = readings.find(({ address }) => address === admin)?.samples;
        return Object.entries(processFigures).flatMap(([metric, { name, by }]) => {
          const value = samples?.get(metric);
          return value === undefined ? [] : [[`${service} ${name}`, value / by]];
        });
      }),
    );
  }

  async #servers(): Promise<Record<string, number>> {
    const [bloat] = (await this.postgres.query<Record<string, number>>(tableBloat.text)).rows;
    const info = await this.redis.info();
    const fact = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
    let claimsBytes = 0;
    for await (const { config, state } of this.streams.streams.list()) {
      if (config.name === orderEventsStream) continue; // It grows until it is as old as it may be.
      claimsBytes += state.bytes;
    }
    return {
      'Postgres connections': bloat?.connections ?? Number.NaN,
      'dead rows, %': (bloat?.dead_share ?? Number.NaN) * 100,
      'stock table MB': (bloat?.stock_bytes ?? Number.NaN) / mb,
      'Redis MB': fact('used_memory') / mb,
      'Redis bytes a key': fact('used_memory') / (await this.redis.dbsize()),
      'Redis connections': fact('connected_clients'),
      'claim streams MB': claimsBytes / mb,
    };
  }
}
