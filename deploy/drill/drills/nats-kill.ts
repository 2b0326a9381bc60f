import type { Drill } from '../drill.js';

export const natsKill: Drill = {
  name: 'nats-kill',
  about: 'NATS is killed',
  recovery: 'NATS is started again, with its streams',
  fault: ({ servers }) => servers.nats.kill(),
  heal: ({ servers }) => servers.nats.start(),
};
