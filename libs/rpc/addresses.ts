import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

/** How often a name is resolved again, so that new addresses are found and old ones forgotten. */
const RESOLVE_EVERY_MS = 5_000;

type Listener = (addresses: readonly string[]) => void;

/**
 * The addresses behind a target: `host:port[,host:port…]` as they stand, or `dns:host:port`, all addresses of the name, resolved again
 * every few seconds. While a name cannot be resolved the last known addresses stay.
 */
export class Addresses {
  /** Resolves when the addresses were asked for once, with or without success. */
  readonly asked: Promise<void>;
  readonly #listener: Listener;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(target: string, listener: Listener) {
    this.#listener = listener;
    const [, host, port] = /^dns:(.+):(\d+)$/.exec(target) ?? [];
    if (host !== undefined && port !== undefined) {
      this.asked = this.#resolve(host, port);
      return;
    }
    const addresses = target.split(',').map((address) => address.trim());
    const wrong = addresses.find((address) => !/^.+:\d+$/.test(address));
    if (wrong !== undefined) throw new TypeError(`not host:port: ${JSON.stringify(wrong)}`);
    this.asked = Promise.resolve();
    listener(addresses);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #resolve(host: string, port: string): Promise<void> {
    const found = await lookup(host, { all: true }).catch(() => []);
    if (this.#closed) return;
    const addresses = found.map(({ address }) => `${isIPv6(address) ? `[${address}]` : address}:${port}`);
    if (addresses.length > 0) this.#listener(addresses);
    this.#timer = setTimeout(() => void this.#resolve(host, port), RESOLVE_EVERY_MS);
    this.#timer.unref();
  }
}
