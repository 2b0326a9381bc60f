import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  GRPC_ADDRESS: { why: 'Where it serves gRPC.' },
  REDIS_URL: { why: 'Where the gate is. Without it every order goes straight to the ledger.' },
  NATS_URL: { why: 'Where the stream of claims is. Without it what the gate lets in is admitted directly.' },
  SHARDS: {
    unit: 'shards',
    why: 'Gates, journals and claims divide by it: one batch under way in each, one stream of claims each. Four keep two cores busy with a sale of several stores, and one store needs only one. The same in every service, chosen before the first sale.',
    smaller: 'Stores wait for the batches of others, and fewer nodes of a Redis cluster can share the work.',
    larger:
      'Batches are smaller and more: 4 shards cost 4 scripts and 4 messages where 1 would do. The sweep and the sync look at each shard every second.',
  },
  POSTGRES_CONNECTIONS: {
    unit: 'connections of a process',
    why: 'For the reads of those who are parked and of undecided orders, and for everything else. Direct admissions have `DIRECT_TURNS` connections besides, of their own. `npm run calibrate` sets 2 + 2 for each core: on two cores, 6.',
    smaller: 'Reads wait for each other: a true no, which one read tells to hundreds, comes late.',
    larger:
      'They wait for each other inside Postgres, for its cores and for the row of the hot sku, where nothing sees them wait. `max_connections` of the server (100) has to hold those of all processes.',
  },
  DIRECT_TURNS: {
    unit: 'admissions in flight',
    why: 'While one commits the next one is on its way. All of them want the row of the same hot sku, so a third would only wait for its lock.',
    smaller: 'Postgres idles during each round trip and each flush to disk.',
    larger:
      'Smaller batches that queue up at the lock of the hot row, each with its own commit: fewer orders a second.',
  },
  REDIS_TIMEOUT_MS: {
    unit: 'ms',
    why: 'A call to the gate that takes longer is given up: the outcome is unknown and the ledger is asked by order id. A healthy one takes 1 to 5 ms, a batch of 500 about 20. The first people notice so much of it when Redis falls silent.',
    smaller: 'Batches of a busy moment are given up although they are being carried out, and go to the ledger as well.',
    larger: 'When Redis hangs everybody who is under way waits so long before they go straight to the ledger.',
  },
  BREAKER_RESET_MS: {
    unit: 'ms',
    why: 'While the breaker of the gate or the stream is open, a probe of its own is made so often, give or take a quarter. Meanwhile orders go straight to admission, which costs them little.',
    smaller:
      'A server that comes up is asked by every inventory again and again, and a breaker that closes too early opens again.',
    larger: 'Gate and stream are back in use so much later.',
  },
  MAX_IN_FLIGHT: {
    unit: 'orders',
    why: 'Orders under way here, those that are parked included. Beyond it BUSY, and the gateway tries another inventory. Two gateways may have 10,000 each under way at one inventory.',
    smaller: 'A crowd that waits for the ledger to say no is turned away with 503 in place of the no.',
    larger:
      'A crowd that nobody can answer within 3 s, the longest try, is kept in memory all the same: about 2 kB for each.',
  },
};
