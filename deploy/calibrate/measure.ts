import type { Measured } from '#libs/mesh/limits-file.js';
import { machineFacts } from '../../bench/frame/machine.js';
import { measureConsumer } from './measure-consumer.js';
import { measureLedger } from './measure-ledger.js';
import { measurePath } from './measure-path.js';
import { withPrivateMesh } from './private-mesh.js';
import type { Effort, Repeated } from './repeated.js';

/** What was measured, and how far the runs were apart. */
export interface Measurement {
  measured: Measured;
  spread: Record<'ledger' | 'consumer' | 'path', Repeated>;
}

/** Nothing but the machine bounds what is measured. */
const unbounded = {
  LOG_LEVEL: 'warn',
  CALLER_RATE_PER_SECOND: '1000000',
  CALLER_RATE_BURST: '1000000',
  MAX_IN_FLIGHT: '20000',
  CONSUME_PER_SECOND: '0',
};

/** Starts a mesh of its own and measures ledger, consumer and path, one after the other, each by several runs of the same work. */
export function measure(effort: Effort, report: (line: string) => void): Promise<Measurement> {
  return withPrivateMesh({ env: unbounded, report }, async (mesh, directory) => {
    const { cores, cpu, node } = machineFacts(directory);
    const spread = {
      ledger: await measureLedger(mesh.servers.urls.postgres, effort, report),
      consumer: await measureConsumer(mesh, effort, report),
      path: await measurePath(mesh, effort, report),
    };
    const measured: Measured = {
      at: new Date().toISOString(),
      cores,
      cpu,
      node,
      ledger_per_second: Math.round(spread.ledger.perSecond),
      consumer_per_second: Math.round(spread.consumer.perSecond),
      path_per_second: Math.round(spread.path.perSecond),
    };
    return { measured, spread };
  });
}
