import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { ask } from './ask.js';
import { findServers } from './find-servers.js';
import { launch, type PrivateServer } from './private-server.js';

export interface NatsOptions {
  directory: string;
  port?: number;
  /** Keeps the folder, and in it the streams, after `stop`; false by default. */
  keep?: boolean;
}

/** Starts a NATS of our own with JetStream on 127.0.0.1; resolves when it greets. */
export function startNats(options: NatsOptions): Promise<PrivateServer> {
  const program = findServers().nats;
  if (program === undefined) throw new Error('nats-server is not installed');
  const directory = resolve(options.directory);
  const serverName = `holdfast-${randomUUID()}`;
  return launch(
    {
      name: 'nats',
      directory,
      keep: options.keep ?? false,
      stopSignal: 'SIGTERM',
      program,
      argumentsFor: (port) => [
        ...['--addr', '127.0.0.1', '--port', `${port}`, '--name', serverName],
        ...['--jetstream', '--store_dir', join(directory, 'store')],
      ],
      urlFor: (port) => `nats://127.0.0.1:${port}`,
      answers: async (port) => (await ask(port, '', '\r\n')).includes(serverName),
    },
    options.port,
  );
}
