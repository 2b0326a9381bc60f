import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { connect as connectNats, type JetStreamManager } from 'nats';
import pg from 'pg';
import { MESH_DIRECTORY, type MeshProcess } from '#libs/mesh/mesh-file.js';
import type { ServerName } from '#libs/servers/find-servers.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type FaultProxy, faultProxy } from '#libs/testing/fault-proxy.js';
import { type Close, closeAll } from '../local/close-all.js';
import { type Mesh, startMesh } from '../local/mesh.js';
import { startServers } from '../local/mesh-servers.js';
import { type EnvOf, type Scale, SERVICE_NAMES, type ServiceName } from '../local/topology.js';
import { LogStory } from './log-story.js';

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 15_000;
const LOOK_TIMEOUT_MS = 2_000;
/** To delete a stream takes its time. */
const STREAMS_TIMEOUT_MS = 15_000;

export interface StageOptions {
  scale?: Scale;
  env?: Record<string, string>;
  envOf?: ((ground: Ground) => EnvOf) | undefined;
  /** Also a payment provider that plays; false by default. */
  sandbox?: boolean;
  /** Hears what is being done, in words. */
  report(line: string): void;
}

/** What a mesh rests on: its servers, and the stretch of network before each that its services use. */
export interface Ground {
  servers: Record<ServerName, PrivateServer>;
  links: Record<ServerName, FaultProxy>;
  /** Another way to each server, for one process alone. */
  spareLinks: Record<ServerName, FaultProxy>;
}

/** A mesh of a drill's own, to be broken. The drill itself looks and acts past the links. */
export interface Stage extends Ground {
  mesh: Mesh;
  story: LogStory;
  redis: Redis;
  streams: JetStreamManager;
  /** Statements as the owner of the ledger, over a connection of their own. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  processes(service: ServiceName): MeshProcess[];
  /** Ends one process, zero-based; the mesh starts another one. Resolves when it is gone. */
  kill(service: ServiceName, index: number, signal?: NodeJS.Signals): Promise<void>;
  /** Sends SIGSTOP or SIGCONT to one process as it is now. */
  signal(service: ServiceName, index: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Processes that died though nobody of the drill ended them, by name. */
  died(): string[];
}

/** Runs `work` on a stage of its own, of which nothing stays, however it ends. Ctrl-C ends it too. */
export async function withStage<Result>(
  options: StageOptions,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const closers: Close[] = [];
  const end = (): Promise<void> => closeAll(closers);
  const interrupted = (): void => void end().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  const closer = (close: Close): void => void closers.push(close);
  try {
    const stage = await build(options, closer).catch(async (error: unknown) => {
      // That a mesh does not start on a busy machine, or loses a port to another one, says nothing of the drill.
      options.report(`${firstLine(error)}; trying once more`);
      await end();
      return await build(options, closer);
    });
    const result = await work(stage);
    await end();
    return result;
  } catch (error) {
    await end().catch(() => {}); // What failed first is told.
    throw error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  }
}

async function build(options: StageOptions, closer: (close: Close) => void): Promise<Stage> {
  mkdirSync(MESH_DIRECTORY, { recursive: true }); // On another disk a commit would cost something else.
  const directory = mkdtempSync(join(MESH_DIRECTORY, 'drill-'));
  chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
  closer(() => rmSync(directory, { recursive: true, force: true }));
  const ground = await lay(directory, options, closer);
  const { servers, links } = ground;
  const story = new LogStory();
  const mesh = await startMesh({
    directory,
    scale: options.scale ?? {},
    env: options.env ?? {},
    envOf: options.envOf?.(ground),
    sandbox: options.sandbox ?? false,
    servers: {
      postgres: links.postgres.url(servers.postgres.url),
      redis: links.redis.url(servers.redis.url),
      nats: links.nats.url(servers.nats.url),
    },
    report: options.report,
    onLine: (name, line) => story.hear(name, line),
  });
  closer(() => mesh.stop());
  const redis = new Redis(servers.redis.url, {
    maxRetriesPerRequest: 0,
    commandTimeout: LOOK_TIMEOUT_MS,
    retryStrategy: () => 50,
  });
  redis.on('error', () => {}); // Whoever asks next is told.
  closer(() => redis.disconnect());
  const nats = await connectNats({ servers: servers.nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  closer(() => nats.close());
  return {
    ...ground,
    ...{ mesh, story, redis, sql: owner(servers.postgres) },
    streams: await nats.jetstreamManager({ timeout: STREAMS_TIMEOUT_MS }),
    ...acts(mesh),
  };
}

async function lay(directory: string, { report }: StageOptions, closer: (close: Close) => void): Promise<Ground> {
  const { private: own, stop } = await startServers({ directory, given: {}, without: [], keep: false, report });
  closer(stop);
  const { postgres, redis, nats } = own;
  if (!postgres || !redis || !nats) throw new Error('a drill needs servers of its own');
  const servers = { postgres, redis, nats };
  const linkTo = async (server: PrivateServer): Promise<FaultProxy> => {
    const link = await faultProxy('127.0.0.1', server.port);
    closer(() => link.close());
    return link;
  };
  const linksTo = async (): Promise<Record<ServerName, FaultProxy>> => ({
    postgres: await linkTo(postgres),
    redis: await linkTo(redis),
    nats: await linkTo(nats),
  });
  return { servers, links: await linksTo(), spareLinks: await linksTo() };
}

/** A new connection each time: the server may have died meanwhile. */
function owner(postgres: PrivateServer): Stage['sql'] {
  return async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({
      connectionString: postgres.url,
      application_name: 'holdfast-drill',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    client.on('error', () => {}); // The query that it breaks rejects as well.
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
}

function acts(mesh: Mesh): Pick<Stage, 'processes' | 'kill' | 'signal' | 'died'> {
  const processes = (service: ServiceName): MeshProcess[] => mesh.describe().services[service] ?? [];
  const named = (): [name: string, pid: number][] =>
    SERVICE_NAMES.flatMap((service) =>
      processes(service).map(({ pid }, index): [string, number] => [`${service}-${index + 1}`, pid]),
    );
  const born = new Map(named());
  const ended = new Set<string>();
  return {
    processes,
    async kill(service, index, signal = 'SIGKILL') {
      ended.add(`${service}-${index + 1}`);
      await mesh.kill(service, index, signal);
    },
    signal(service, index, signal) {
      const pid = processes(service)[index]?.pid;
      if (pid) process.kill(pid, signal);
    },
    died: () => named().flatMap(([name, pid]) => (born.get(name) === pid || ended.has(name) ? [] : [name])),
  };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
