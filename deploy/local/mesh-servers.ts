import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MeshFile, MeshServer } from '#libs/mesh/mesh-file.js';
import { findServers, missingServers, type ServerName } from '#libs/servers/find-servers.js';
import { installServers } from '#libs/servers/install-servers.js';
import { postgresUser, reachableDirectory } from '#libs/servers/postgres-user.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { startNats } from '#libs/servers/start-nats.js';
import { startPostgres } from '#libs/servers/start-postgres.js';
import { startRedis } from '#libs/servers/start-redis.js';
import { keepAlive } from './server-keeper.js';
import type { DispensableServer, ServerUrls } from './topology.js';

export interface MeshServersOptions {
  /** Each private server keeps its data in a folder of its own in here. */
  directory: string;
  /** Servers that run already and are used instead of private ones. */
  given: Partial<ServerUrls>;
  without: DispensableServer[];
  /** Whether the data outlives the mesh. */
  keep: boolean;
  /** Where given, a private server that dies unasked is started again, and this hears that it answers. */
  onBack?: (() => void) | undefined;
  report(line: string): void;
}

/** The servers under a mesh: private ones, which are ours to stop and to break, and given ones, which are not. */
export interface MeshServers {
  urls: ServerUrls;
  private: Partial<Record<ServerName, PrivateServer>>;
  /** As mesh.json lists them. */
  listed(): MeshFile['infra'];
  stop(): Promise<void>;
}

/** Starts what is not given, all at once; installs the programs first where they are missing. */
export async function startServers(options: MeshServersOptions): Promise<MeshServers> {
  const names: ServerName[] = ['postgres', 'redis', 'nats'];
  const wanted = names.filter((name) => name === 'postgres' || !options.without.includes(name));
  const own = wanted.filter((name) => options.given[name] === undefined);
  const missing = missingServers(findServers()).filter((name) => own.includes(name));
  await installServers(missing, options.report);
  if (own.length > 0) options.report(`starting ${own.join(', ')}`);
  const started = await startAll(own, options);

  const urlOf = (name: ServerName): string | undefined =>
    wanted.includes(name) ? (options.given[name] ?? started[name]?.url) : undefined;
  const [postgres = '', redis, nats] = names.map(urlOf);
  const entry = (name: ServerName, url: string): MeshServer => {
    const pid = started[name]?.pid;
    return pid === undefined ? { url } : { url, pid };
  };
  return {
    urls: { postgres, ...(redis && { redis }), ...(nats && { nats }) },
    private: started,
    listed: () => ({
      postgres: entry('postgres', postgres),
      ...(redis && { redis: entry('redis', redis) }),
      ...(nats && { nats: entry('nats', nats) }),
    }),
    stop: async () => {
      await Promise.all(Object.values(started).map((server) => server.stop()));
    },
  };
}

/** Removes what private servers of that directory keep. None of them may run. */
export function forgetServers(directory: string): void {
  for (const name of ['redis', 'nats']) rmSync(join(directory, name), { recursive: true, force: true });
  const postgres = join(directory, 'postgres');
  const user = postgresUser();
  rmSync(user ? reachableDirectory(postgres, user, () => {}) : postgres, { recursive: true, force: true });
}

async function startAll(names: ServerName[], options: MeshServersOptions): Promise<MeshServers['private']> {
  const starters: Record<ServerName, () => Promise<PrivateServer>> = {
    postgres: () => startPostgres({ ...place('postgres', options), log: options.report }),
    redis: () => startRedis({ ...place('redis', options), appendonly: true }),
    nats: () => startNats(place('nats', options)),
  };
  const start = async (name: ServerName): Promise<[ServerName, PrivateServer]> => {
    const server = await starters[name]();
    if (options.onBack) keepAlive(server, name, { report: options.report, onBack: options.onBack });
    return [name, server];
  };
  const attempts = await Promise.allSettled(names.map(start));
  const started = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const failure = attempts.find((attempt) => attempt.status === 'rejected');
  if (failure) {
    await Promise.all(started.map(([, server]) => server.stop()));
    throw failure.reason;
  }
  return Object.fromEntries(started);
}

function place(name: ServerName, { directory, keep }: MeshServersOptions): { directory: string; keep: boolean } {
  return { directory: join(directory, name), keep };
}
