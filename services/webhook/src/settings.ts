import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  GRPC_ADDRESS: { why: 'Where it serves gRPC.' },
  NATS_URL: {
    why: 'That of the order service, whose relay then notes what was told, and webhooks with it. This one does not connect to it: that it is set says who tells.',
  },
  WEBHOOK_FOLLOW_OUTBOX: {
    why: 'Whether this service takes events out of the outbox itself, where the order service has no NATS_URL and nobody relays. One of the two has to be set, and not both: with neither nothing would be sent, with both the stream might starve. Should an order service relay all the same, this one stops taking events and logs that, each second, until a setting is mended and it is started again.',
  },
  WEBHOOK_ALLOW_PRIVATE: {
    why: 'Whether webhooks may go to addresses that are not public, to any port, and by plain http. For one machine and for tests; `npm start` sets it. With it whoever may add an endpoint can reach what this process can reach.',
  },
  WEBHOOK_MAX_IN_FLIGHT: {
    unit: 'webhooks at once',
    why: 'One to each endpoint. Half of them at most go to endpoints whose last attempt failed, so that those that hang do not take the room of those that answer.',
    smaller: 'Stores with slow endpoints come to wait for one another.',
    larger: 'More sockets and memory. Each is a row to write, too.',
  },
  WEBHOOK_TIMEOUT_MS: {
    unit: 'ms',
    why: 'From the look-up of the name to the head of the answer. 15 s is the lower end of what the standard advises.',
    smaller: 'Endpoints that do their work before they answer hear the same event again and again.',
    larger: 'An endpoint that hangs keeps its place in flight for longer. A lease lasts twice as long and 15 s.',
  },
  WEBHOOK_DISABLE_AFTER_HOURS: {
    unit: 'hours',
    why: 'An endpoint that failed for so long without one success is disabled, and an alert says so. Five days are past a long week-end.',
    smaller: 'A week-end without anybody disables it.',
    larger: 'Events wait for an endpoint that nobody mends, and nobody is told.',
  },
  WEBHOOK_SECRET_OVERLAP_HOURS: {
    unit: 'hours',
    why: 'How long webhooks are signed with the secret before as well after a rotation: a day to put the new one in place.',
    smaller: 'A receiver that is not changed in time refuses everything.',
    larger: 'A secret that leaked is good for longer.',
  },
  WEBHOOK_KEEP_DAYS: {
    unit: 'days',
    why: 'How long deliveries that are over can be listed and replayed.',
    smaller: 'An outage that is found late cannot be replayed.',
    larger: 'A row and its body for each event and endpoint stays.',
  },
};
