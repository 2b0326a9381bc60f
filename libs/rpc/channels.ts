import { type ChannelOptions, Client, connectivityState, credentials } from '@grpc/grpc-js';
import { Addresses } from './addresses.js';
import { DEFAULT_MAX_MESSAGE_BYTES } from './definition.js';
import { clientKeepalive } from './keepalive.js';

/** How every channel is opened. A dead address is tried again after 0.1 s, at most 1 s apart. */
export function channelOptions(maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES): ChannelOptions {
  return {
    ...clientKeepalive,
    'grpc.enable_channelz': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
  };
}

/** Opens a channel to one address. */
export function openChannel(address: string, options: ChannelOptions): Client {
  return new Client(address, credentials.createInsecure(), options);
}

/**
 * One channel to each address of a target. Calls go round those that are connected, so that a peer that drains or dies is left alone
 * from the moment its connection says so. (The transport's own round_robin cannot be given a list of names.)
 */
export class Channels {
  readonly #addresses: Addresses;
  readonly #byAddress = new Map<string, Client>();
  #channels: Client[] = [];
  #next = 0;

  constructor(target: string, maxMessageBytes?: number) {
    this.#addresses = new Addresses(target, (addresses) => this.#update(addresses, channelOptions(maxMessageBytes)));
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
    this.#update([], {});
  }

  #update(addresses: readonly string[], options: ChannelOptions): void {
    for (const [address, channel] of this.#byAddress) {
      if (addresses.includes(address)) continue;
      this.#byAddress.delete(address);
      channel.close();
    }
    for (const address of addresses) {
      if (!this.#byAddress.has(address)) this.#byAddress.set(address, openChannel(address, options));
    }
    this.#channels = [...this.#byAddress.values()];
  }
}

function rankOf(state: connectivityState): number {
  if (state === connectivityState.READY) return 0;
  return state === connectivityState.TRANSIENT_FAILURE ? 2 : 1;
}
