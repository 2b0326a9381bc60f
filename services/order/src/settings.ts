import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  GRPC_ADDRESS: { why: 'Where it serves gRPC.' },
  NATS_URL: {
    why: 'Where claims come from and events go to. Without it no claims are taken and no events relayed; the RPCs serve.',
  },
  POSTGRES_CONNECTIONS: {
    unit: 'connections of a process',
    why: 'Two for admissions, one for expiry, the rest for payments, cancellations and reads. One more, of its own, has the lock of the relay. `npm run calibrate` sets 4 + 2 for each core: on two cores, 8.',
    smaller: 'Payments and reads wait behind admissions during a sale.',
    larger:
      'They wait for each other inside Postgres, where nothing sees them wait. `max_connections` of the server (100) has to hold those of all processes.',
  },
  SHARDS: {
    unit: 'shards',
    why: 'One stream of claims and one consumer for each. The same in every service, chosen before the first sale.',
    smaller: 'Stores wait behind the claims of others.',
    larger:
      'More streams and consumers for NATS to keep, and for each process to pull from, also when nothing is sold.',
  },
  STREAM_REPLICAS: {
    unit: 'NATS servers that have each message',
    why: 'One server, as `npm start` runs it. With a cluster, 3: a promise (PENDING) is in the stream and in the journal, and is lost only if both are.',
    smaller: 'With 1 a disk of NATS that is lost takes with it what was stored and not yet admitted.',
    larger: 'Each store waits for a majority: 3 costs a round trip between the servers, 5 more of that for little.',
  },
  CLAIMS_MAX_MESSAGES: {
    unit: 'messages of one shard',
    why: 'What admission drains in about 4 s, the longest that a claim may wait. Fuller than that, claims go to admission directly.',
    smaller: 'A surge goes round the stream early, and its direct admissions compete with the consumers.',
    larger: 'More claims wait than can be decided while their buyers do: they hear PENDING.',
  },
  CLAIMS_MAX_BYTES: {
    unit: 'bytes of one shard',
    why: 'The same bound for large messages: 16 MiB are about 80,000 claims of 200 bytes.',
    smaller: 'A few batches of orders with many lines fill the stream.',
    larger: 'As above, and the disk of NATS has to hold it for every shard.',
  },
  CLAIMS_PREFETCH: {
    unit: 'messages of one shard in a process',
    why: 'So many are at hand while the batch before is committed; a message carries what came within one round trip, 1 to 500 claims.',
    smaller: 'Admission waits for NATS between two batches.',
    larger:
      'What waits here past CLAIMS_ACK_WAIT_MS is handed to another process and handled twice, and a process that dies has more to be delivered again.',
  },
  CLAIMS_MAX_ACK_PENDING: {
    unit: 'messages of one shard in all processes',
    why: 'Five processes with a full prefetch.',
    smaller: 'Further order services get nothing to do.',
    larger: 'More is delivered again, all at once, when processes die together.',
  },
  CLAIMS_ACK_WAIT_MS: {
    unit: 'ms',
    why: 'When NATS hands a message that is not acknowledged to another process. A statement of the ledger ends after 2.5 s, so a message is either decided or given back by then.',
    smaller:
      'Below the 2.5 s of a slow statement messages are handled twice: no second order, but twice the work while the ledger is slow already.',
    larger:
      'The claims of an order service that died wait so long before another one has them; a promise is to be kept within 5 s.',
  },
  CONSUME_PER_SECOND: {
    unit: 'claims a second of a process',
    why: '0: as many as it can. `npm run calibrate` sets 0.7 of what the ledger admits, because payments, expiry and reads need the ledger too.',
    smaller: 'Below the rate at which claims come they wait in the stream, and people hear PENDING.',
    larger: 'At a rate that the ledger cannot do it bounds nothing.',
  },
  ADMISSION_TURNS: {
    unit: 'transactions in flight',
    why: 'While one commits the next one is on its way. All of them may want the row of the same hot sku, so a third would only wait for its lock.',
    smaller: 'Postgres idles during each round trip and each flush to disk.',
    larger:
      'Smaller batches that queue up at the lock of the hot row, each with its own commit: fewer orders a second.',
  },
  EVENTS_MAX_AGE_HOURS: {
    unit: 'hours',
    why: 'How long ORDER_EVENTS keeps events: a reader that was away for a night and a morning misses none.',
    smaller: 'A reader that is away for longer has to read the orders themselves.',
    larger: 'EVENTS_MAX_BYTES is reached first.',
  },
  EVENTS_MAX_BYTES: {
    unit: 'bytes',
    why: '1 GiB is about 2 million events of 500 bytes: a day of a shop with 500,000 orders. A full stream refuses, and events wait in the outbox.',
    smaller:
      'A day that sells a lot fills the stream before the oldest events are of age, and news of orders comes late.',
    larger: 'The disk of NATS has to hold it.',
  },
  ACCESS_KEEP_DAYS: {
    unit: 'days',
    why: 'What was answered to whom, for `holdfast explain`: people complain within days. A job deletes what is older.',
    smaller: 'A complaint of last week finds nothing but the order.',
    larger: 'About 300 bytes a record: a million yeses a day are 4 GB in two weeks. They are data about persons, too.',
  },
  MAX_WATCHERS: {
    unit: 'watched orders of a process',
    why: 'All of them are read once a second, 500 in one statement: 20 statements a second at most.',
    smaller: 'People who wait on their order page hear BUSY and have to poll.',
    larger: 'Reading them takes connections and time of the ledger every second, sale or no sale.',
  },
  PAYMENT_PROVIDER_URL: {
    why: 'The provider that is asked for sessions and refunds, see [payments.md](payments.md). Without it payments are still recorded when they are told, but nobody is given a way to pay and no refund is asked for.',
  },
  PAYMENT_PROVIDER: {
    why: 'What that provider is called in payments, and in the path of its notices.',
  },
  PAYMENT_PROVIDER_KEY: { why: 'Shown to the provider as a bearer token.' },
  PAYMENT_DEADLINE_MS: {
    unit: 'ms',
    why: 'Providers answer in some hundred ms, and in seconds on a bad day. Gateways wait 5 s for the answer, so this ends before. No transaction of the ledger is open meanwhile.',
    smaller: 'A slow provider is given up though it would have answered; the next try asks under the same key.',
    larger: 'Users hear that the outcome is unknown before the answer is here.',
  },
};
