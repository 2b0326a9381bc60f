import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { RestartPauses } from './restart-pauses.js';

export interface KeeperHooks {
  /** What happens to the server, in words. */
  report(line: string): void;
  /** It died, was started again, and answers. */
  onBack(): void;
}

/**
 * Starts the server again on its port and with its data whenever it dies without being told to, each time a little
 * later. Once somebody stops or kills it through its object, it is theirs until they start it.
 */
export function keepAlive(server: PrivateServer, name: string, hooks: KeeperHooks): void {
  const pauses = new RestartPauses();
  let deaths = 0;
  const comeBack = async (what: string): Promise<void> => {
    deaths += 1;
    const death = deaths;
    const pauseMs = pauses.afterDeath();
    hooks.report(`${what}; starting it again in ${pauseMs} ms`);
    await sleep(pauseMs, undefined, { ref: false }); // As a server does not, waiting for one keeps nobody alive.
    // Meanwhile its owner may have ended it, or started it and seen it die once more.
    if (!server.wanted || server.running || death !== deaths) return;
    pauses.started();
    try {
      await server.start();
    } catch (error) {
      if (server.wanted) void comeBack(firstLine(error)); // The rest is in its log, which the line names.
      return;
    }
    hooks.report(`${name} is back`);
    hooks.onBack();
  };
  server.onDeath((cause) => void comeBack(`${name} died (${cause})`));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
