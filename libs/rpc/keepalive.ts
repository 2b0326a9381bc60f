/** Servers of this system take a ping this often; other implementations may want them rarer and answer with GOAWAY. */
export const MIN_PING_INTERVAL_MS = 10_000;

/** Pings by which a client finds out that a peer is gone without a word: within 20 s, and only while calls are open. */
export const clientKeepalive = {
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 0,
} as const;

/** Pings by which a server finds out that a client is gone and frees what it held. */
export const serverKeepalive = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 5_000,
} as const;
