import type { ServiceName } from '../../local/topology.js';
import type { Drill } from '../drill.js';

/** Callers before those they call, as an operator goes about it. */
const ROLLING_ORDER: readonly ServiceName[] = ['bff', 'gateway', 'scheduler', 'webhook', 'inventory', 'order'];

export const rollingRestart: Drill = {
  name: 'rolling-restart',
  about: 'of each service both processes are told to end, one after the other, and others start in their place',
  recovery: 'every process is another one',
  scale: { inventory: 2, order: 2, scheduler: 2, webhook: 2, gateway: 2, bff: 2 },
  plan: { faultMs: 0 },
  fault: async ({ kill, mesh }) => {
    for (const service of ROLLING_ORDER) {
      for (const index of [0, 1]) {
        await kill(service, index, 'SIGTERM');
        await mesh.ready();
      }
    }
  },
};
