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
  readonly #listener: Listener;
  readonly #resolve: () => Promise<string[]>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(target: string, listener: Listener) {
    this.#listener = listener;
    const dns = /^dns:(.+):(\d+)$/.exec(target);
    if (dns === null) {
      const addresses = target.split(',').map((address) => address.trim());
      const wrong = addresses.find((address) => !/^.+:\d+$/.test(address));
      if (wrong !== undefined) throw new TypeError(`not host:port: ${JSON.stringify(wrong)}`);
      this.#resolve = async () => addresses;
      listener(addresses);
    } else {
      const [, host = '', port = ''] = dns;
      this.#resolve = async () => {
        const found = await lookup(host, { all: true });
        return found.map(({ address }) => `${isIPv6(address) ? `[${address}]` : address}:${port}`).sort();
      };
      void this.#resolveAgain();
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #resolveAgain(): Promise<void> {
    const addresses = await this.#resolve().catch(() => []);
    if (this.#closed) return;
    if (addresses.length > 0) this.#listener(addresses);
    this.#timer = setTimeout(() => void this.#resolveAgain(), RESOLVE_EVERY_MS);
    this.#timer.unref();
  }
}
