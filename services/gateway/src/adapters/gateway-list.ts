import { networkInterfaces } from 'node:os';
import type { RedisClient } from '#libs/redis/redis-client.js';
import { runScript } from '#libs/redis/run-script.js';
import { luaScript } from '#libs/redis/script.js';
import { requestKeys } from './request-keys.js';

const list = luaScript(new URL('../../lua/gateways_list.lua', import.meta.url));
const TELL_EVERY_MS = 5_000;
/** One that was killed is shown as not answering for so long. */
const FORGOTTEN_MS = 60_000;

/**
 * Gateways tell one another where they listen, so that whoever asks one of them how the mesh is sees all. Without Redis,
 * or while it is away, each knows only itself.
 */
export class GatewayList {
  readonly #timer: NodeJS.Timeout;

  /** `address` is where the others reach this one. */
  constructor(
    private readonly redis: RedisClient,
    private readonly address: string,
  ) {
    this.#timer = setInterval(() => void this.others(), TELL_EVERY_MS).unref();
    void this.others();
  }

  /** Where the other gateways listen, as far as is known. */
  async others(): Promise<string[]> {
    const addresses = await this.#tell(true);
    return addresses.filter((address) => address !== this.address);
  }

  /** Takes its leave, so that nobody asks for it. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tell(false);
  }

  async #tell(isHere: boolean): Promise<string[]> {
    const args = [this.address, isHere ? 1 : 0, FORGOTTEN_MS];
    try {
      return (await runScript(this.redis, list, [requestKeys.addresses()], args)) as string[];
    } catch {
      // Away: nobody can be named.
      return [];
    }
  }
}

/** Where others reach what is bound to an address: of one that stands for all of this machine, the first that is not its own. */
export function reachableAddress(bound: string): string {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(bound) ?? [];
  if (host !== '0.0.0.0' && host !== '[::]') return bound;
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return `${external?.address ?? '127.0.0.1'}:${port}`;
}
