import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { type NatsOptions, startNats } from '#libs/servers/start-nats.js';
import { type PostgresOptions, startPostgres } from '#libs/servers/start-postgres.js';
import { type RedisOptions, startRedis } from '#libs/servers/start-redis.js';

// Tests kill servers, never machines: what a server has written, the kernel keeps.
const fast = { fsync: 'off', full_page_writes: 'off' };

/** An empty Postgres of this test's own, to be killed, frozen or stopped; gone with the process. */
export function privatePostgres(options: Omit<PostgresOptions, 'directory'> = {}): Promise<PrivateServer> {
  return startPostgres({ directory: newFolder(), ...options, settings: { ...fast, ...options.settings } });
}

/** A Redis of this test's own; with `appendonly` its data survives `restart`. */
export function privateRedis(options: Omit<RedisOptions, 'directory'> = {}): Promise<PrivateServer> {
  return startRedis({ directory: newFolder(), ...options });
}

/** A NATS of this test's own, with JetStream. */
export function privateNats(options: Omit<NatsOptions, 'directory'> = {}): Promise<PrivateServer> {
  return startNats({ directory: newFolder(), ...options });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
  chmodSync(folder, 0o711); // Postgres may run as another user, who has to get in.
  return folder;
}
