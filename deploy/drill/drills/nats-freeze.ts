import type { Drill } from '../drill.js';

export const natsFreeze: Drill = {
  name: 'nats-freeze',
  about: 'NATS stands still: connections stay, nothing answers',
  recovery: 'NATS goes on',
  fault: ({ servers }) => servers.nats.freeze(),
  heal: ({ servers }) => servers.nats.thaw(),
};
