import { type ChannelOptions, type Client, connectivityState } from '@grpc/grpc-js';
import { Addresses } from './addresses.js';
import { addressesOf, at, type Target } from './target.js';
import { channelOptions, openChannel } from './transport.js';

/**
 * One channel to each address of a target. Calls go round those that are connected, so that a peer that drains or dies is left alone
 * from the moment its connection says so. (The transport's own round_robin cannot be given a list of names.)
 */
export class Channels {
  readonly #addresses: Addresses;
  readonly #byAddress = new Map<string, Client>();
  readonly #options: ChannelOptions;
  #channels: Client[] = [];
  #next = 0;

  constructor(private readonly target: Target) {
    const where = addressesOf(target);
    this.#options = { ...channelOptions, ...namedBy(where) };
    this.#addresses = new Addresses(where, (addresses) => this.#update(addresses));
  }

  /** Resolves when there has been a chance to learn the addresses. */
  get asked(): Promise<void> {
    return this.#addresses.asked;
  }

  /** A connected channel, else one that is connecting, else any. Undefined while no address is known. */
  pick(): Client | undefined {
    let best: Client | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    this.#next = (this.#next + 1) % (this.#channels.length || 1);
    for (let i = 0; i < this.#channels.length && bestRank > 0; i += 1) {
      const channel = this.#channels[(this.#next + i) % this.#channels.length] as Client;
      // Asking also makes an idle channel connect.
      const rank = rankOf(channel.getChannel().getConnectivityState(true));
      if (rank < bestRank) {
        best = channel;
        bestRank = rank;
      }
    }
    return best;
  }

  close(): void {
    this.#addresses.close();
    this.#update([]);
  }

  #update(addresses: readonly string[]): void {
    for (const [address, channel] of this.#byAddress) {
      if (addresses.includes(address)) continue;
      this.#byAddress.delete(address);
      channel.close();
    }
    for (const address of addresses) {
      if (!this.#byAddress.has(address)) this.#byAddress.set(address, this.#open(address));
    }
    this.#channels = [...this.#byAddress.values()];
  }

  #open(address: string): Client {
    return openChannel(at(this.target, address), this.#options);
  }
}

/** The addresses of a name are called by the name: it is what the certificate of the peer says. */
function namedBy(target: string): ChannelOptions {
  const host = /^dns:(.+):\d+$/.exec(target)?.[1];
  return host === undefined ? {} : { 'grpc.ssl_target_name_override': host, 'grpc.default_authority': host };
}

function rankOf(state: connectivityState): number {
  if (state === connectivityState.READY) return 0;
  return state === connectivityState.TRANSIENT_FAILURE ? 2 : 1;
}
