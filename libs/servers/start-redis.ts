import { resolve } from 'node:path';
import { ask } from './ask.js';
import { findServers } from './find-servers.js';
import { launch, type PrivateServer } from './private-server.js';

export interface RedisOptions {
  directory: string;
  port?: number;
  /** Keeps the folder after `stop`; false by default. */
  keep?: boolean;
  /** Append-only file, synced every second, as Redis ships it; without it nothing survives a restart. */
  appendonly?: boolean;
  /** Further arguments of redis-server, which win over ours. */
  args?: string[];
}

/** Starts a Redis of our own on 127.0.0.1; resolves when it answers PING. */
export function startRedis(options: RedisOptions): Promise<PrivateServer> {
  const program = findServers().redis;
  if (program === undefined) throw new Error('redis-server is not installed');
  const directory = resolve(options.directory);
  return launch(
    {
      name: 'redis',
      directory,
      keep: options.keep ?? false,
      stopSignal: 'SIGTERM',
      program,
      argumentsFor: (port) => [
        ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--daemonize', 'no'],
        ...['--appendonly', options.appendonly ? 'yes' : 'no', '--save', '', '--maxmemory-policy', 'noeviction'],
        ...['--set-proc-title', 'no'], // The title would hide the folder, by which a leftover is known.
        ...(options.args ?? []),
      ],
      urlFor: (port) => `redis://127.0.0.1:${port}`,
      answers: async (port, pid) => {
        await ask(port, 'PING\r\n', '+PONG');
        const server = await ask(port, 'INFO server\r\n', 'process_id:');
        return server.includes(`process_id:${pid}\r\n`);
      },
    },
    options.port,
  );
}
