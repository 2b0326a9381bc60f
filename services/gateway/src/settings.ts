import { identityNotes } from '#libs/identity/identity-settings.js';
import type { SettingNotes } from '#libs/runtime/setting-notes.js';

const burst =
  'A bucket that is full gives so many at once. One second of the rate: people press a button within the same second, not evenly over it.';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  ...identityNotes,
  INSTANCE: {
    default: 'gateway-HOST-PROCESS',
    why: 'Names the process among the gateways: they count each other by it, to share the rates while Redis is away. Two of one name count as one. The host is part of it because in containers every process has the same number.',
  },
  GRPC_ADDRESS: { why: 'Where it serves gRPC.' },
  PUBLIC_GRPC_ADDRESS: {
    why: 'Where it serves programs that have no certificate of the mesh and show a token. Without it, where it serves the mesh.',
  },
  PUBLIC_TLS_DIR: {
    why: 'A folder with the `cert.pem` and `key.pem` that it shows at PUBLIC_GRPC_ADDRESS. Without it nothing is encrypted there: behind something that is, or on one machine.',
  },
  SERVICE_CERTIFICATES: {
    why: 'Services of the mesh, with commas between, that may act for any user: they need no token, their certificate says who they are.',
  },
  INVENTORY_TARGET: { why: 'The inventories. Reservations go round all of them, and to another when one breaks off.' },
  ORDER_TARGET: { why: 'The order services.' },
  SCHEDULER_TARGET: {
    why: 'The schedulers, for operators who list, run and pause jobs, and for the status of the mesh. Without it both go without schedulers.',
  },
  WEBHOOK_TARGET: {
    why: 'The webhook services, for operators and staff who see to endpoints of stores, and for the status of the mesh. Without it both go without them.',
  },
  REDIS_URL: {
    why: 'Where marks, buckets and lines are. Without it each gateway limits by itself, nobody stands in line, a request beyond its limit is told when to come back, and every no leaves a row.',
  },
  REDIS_TIMEOUT_MS: {
    unit: 'ms',
    why: 'A call to Redis that takes longer is given up. A healthy one takes 1 to 5 ms; 80 is past every pause of a busy Redis (a fork to save, a slow neighbour), and short of what a person notices. A gateway goes on without Redis only when its last reply is half a second old, so one slow call changes nothing.',
    smaller:
      'Near the p99 of a busy Redis calls are given up that would have been answered: they are made again, and the load on Redis grows just when it is slow.',
    larger:
      'When Redis hangs every reservation that has begun waits that much longer. From about 500 on a single lost reply is enough for a gateway to go on by itself.',
  },
  RATE_PER_SECOND: {
    unit: 'reservations a second for one sku',
    why: 'Of a sku that has no rate of its own or of its store. It is the rate of a sale of which nobody said how it sells: a class of 50 goes in a second, and a surge of thousands for one sku becomes a line. Set it per sku, with `holdfast limits set` or `npm run calibrate -- --sales`.',
    smaller: 'People stand in line for skus that could have served them at once, and a sale takes longer than it must.',
    larger:
      'The crowd of one sku is let through to the ledger at once, and what other stores sell waits behind it. Past what the path does (`npm run calibrate` says) it limits nothing, and MAX_IN_FLIGHT turns people away instead, in no order.',
  },
  RATE_BURST: {
    unit: 'reservations for one sku',
    why: burst,
    smaller: 'A handful of people who press together get places in line although the sku is idle.',
    larger: 'So many meet the ledger in one instant. More than the units on offer is of no use to anybody.',
  },
  USER_RATE_PER_SECOND: {
    unit: 'calls a second of one user',
    why: 'An app that polls an order and places another one makes one or two a second; a household behind one account makes a few.',
    smaller: 'People who press again and again, as people do, hear 429 of their own making.',
    larger: 'One user with a script has as many tries as a small crowd.',
  },
  USER_RATE_BURST: {
    unit: 'calls of one user',
    why: 'Two seconds of the rate: opening an app makes a dozen calls at once.',
    smaller: 'Opening the app is limited.',
    larger: 'So many tries of one user at the opening of a sale count before the rate does.',
  },
  CALLER_RATE_PER_SECOND: {
    unit: 'calls a second of one address',
    why: 'The caller of a gateway is a front-end, the bff for all its users, so this bounds a process, not a person. 20,000 is above what one gateway serves on two cores. `npm run calibrate` sets four times what the ledger decides: most of a crowd hears a no, which costs less.',
    smaller: 'The whole crowd behind a bff is limited together, whoever they are and whatever they want.',
    larger:
      'A caller that runs wild takes the gateway from all others; only MAX_IN_FLIGHT stops its reservations, and nothing its reads.',
  },
  CALLER_RATE_BURST: {
    unit: 'calls of one address',
    why: burst,
    smaller: 'A bff that passes on what came in one tick is limited though it is well below its rate.',
    larger: 'A caller may send that much at once.',
  },
  RATE_LIMITS: {
    why: '`false` switches tokens and lines off, for gateways behind a limiter of their own and for measurements. MAX_IN_FLIGHT holds all the same.',
  },
  MAX_IN_FLIGHT: {
    unit: 'reservations at work',
    why: 'The room of the process; who finds it full waits outside, stores taking turns. It bounds the time inside: room / path. At 4,000 reservations a second 2,000 is half a second. `npm run calibrate` sets what the path of this machine does in 150 ms.',
    smaller:
      'Batches, which grow from what is at work at once, stay small and the path becomes slower: below about 64 it starves.',
    larger:
      'People wait inside, where nobody can be told how long it will take, and an overload shows as 503 and 504 in place of 429 with a time.',
  },
  SHED_AFTER_MS: {
    unit: 'ms',
    why: 'When the oldest waiter of a store has waited longer, its newcomers are turned away. So short a wait is better than coming back, and people do not notice it.',
    smaller: 'A pause of the garbage collector or of a disk turns people away who would have been served at once.',
    larger: 'Answers come later by as much under overload, and no more of them: the room is full either way.',
  },
  ACCESS_BUFFER: {
    unit: 'records',
    why: 'Of answers with a unit, a promise or a place in a waitlist, each of which is recorded for `holdfast explain`. They leave every second or by the thousand, so this is two seconds of 4,000 a second. 0: none is kept.',
    smaller: 'A pause of the ledger loses records of yeses; `access_records_lost_total` counts them.',
    larger: 'While the ledger is away so many answers stay in memory, about 1 kB each.',
  },
  ACCESS_SAMPLED_PER_SECOND: {
    unit: 'records a second',
    why: 'Of refusals, places in line and faults: all of them when they are fewer, else an even sample whose records say for how many each stands. One hundred are enough to see what a crowd was told; a crowd of thousands costs the ledger no more than that. 0: none is kept.',
    smaller: 'Somebody who asks why they were refused during a rush is less likely to be found.',
    larger: 'The ledger writes about people whom it had nothing for, just when it is busiest.',
  },
  REQUEST_ID_SECRETS: {
    why: 'Sign and verify the request ids that the gateways issue; the same in every gateway, several with commas between. The first signs, all verify: put a new one last everywhere, then first, and take the old one away half an hour later. Without one no request ids are issued.',
  },
  MARKS_KEEP_HOURS: {
    unit: 'hours',
    why: 'How long Redis keeps what a request was told, about 450 bytes each. Whoever asks again with the same id within that time is told the same; an order is found under its id for ever.',
    smaller: 'Whoever comes back later with the id of a no that left no row is a new request, and may be told yes.',
    larger: 'Redis holds more: a hundred requests a second are 4 GB in a day.',
  },
  SHARDS: {
    unit: 'shards',
    why: 'Marks, buckets and lines of a store are in its shard, one slot of a Redis cluster. The same in every service.',
    smaller: 'Fewer nodes of a Redis cluster can share the work.',
    larger:
      'An idle gateway makes eight small calls a second and shard. A user who changes things at stores of several shards has their limit in each.',
  },
};
