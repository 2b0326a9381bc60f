import { type ChannelOptions, Client, credentials, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { MAX_RESPONSE_BYTES } from './definition.js';
import type { Target } from './target.js';

// What the transport has to say arrives as errors and statuses; by itself it prints to the console, callers' input included.
setLogVerbosity(logVerbosity.NONE);

/** Servers of this system take a ping this often; other implementations may want them rarer and answer with GOAWAY. */
export const MIN_PING_INTERVAL_MS = 10_000;

/** Pings by which a client finds out that a peer is gone without a word: within 20 s, and only while calls are open. */
const clientKeepalive = {
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 0,
} as const;

/** Pings by which a server finds out that a client is gone and frees what it held. */
const serverKeepalive = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 5_000,
} as const;

/** How every server is set up. */
export function serverOptions(maxRequestBytes: number): ChannelOptions {
  return {
    ...serverKeepalive,
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': maxRequestBytes,
    // Length is checked before the transport sees a message: there it would be the caller's fault.
    'grpc.max_send_message_length': -1,
  };
}

/** How every channel is set up. A dead address is tried again after 0.1 s, at most 1 s apart. */
export const channelOptions: ChannelOptions = {
  ...clientKeepalive,
  'grpc.enable_channelz': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
  'grpc.max_send_message_length': -1,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};

/** Opens a channel to one address. It connects on the first call. */
export function openChannel(target: Target, options: ChannelOptions): Client {
  if (typeof target === 'string') return new Client(target, credentials.createInsecure(), options);
  const { addresses, serverName } = target;
  const named = serverName === undefined ? options : { ...options, 'grpc.ssl_target_name_override': serverName };
  return new Client(addresses, target.credentials, named);
}
