import type { Measured } from '#libs/mesh/limits-file.js';
import { machineFacts } from '../../bench/frame/machine.js';
import { consumerMeter } from './consumer-meter.js';
import type { Effort } from './effort.js';
import { ledgerMeter } from './ledger-meter.js';
import { outboxEmpty } from './outbox-empty.js';
import { pathMeter } from './path-meter.js';
import { withPrivateMesh } from './private-mesh.js';
import { type Meter, type Repeated, runRounds } from './rounds.js';

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

/** Starts a mesh of its own and measures ledger, consumer and path by several runs of the same work. */
export function measure(effort: Effort, report: (line: string) => void): Promise<Measurement> {
  return withPrivateMesh({ env: unbounded, report }, async (mesh, directory) => {
    const { cores, cpu, node } = machineFacts(directory);
    const meters: Meter[] = [];
    try {
      meters.push(await ledgerMeter(mesh.servers.urls.postgres, effort));
      meters.push(await consumerMeter(mesh, effort));
      meters.push(pathMeter(mesh, effort));
      const settle = (): Promise<void> => outboxEmpty(mesh);
      const [ledger, consumer, path] = await runRounds(meters, { runs: effort.runs, settle, report });
      if (!ledger || !consumer || !path) throw new Error('not everything was measured');
      const measured: Measured = {
        at: new Date().toISOString(),
        cores,
        cpu,
        node,
        ledger_per_second: Math.round(ledger.perSecond),
        consumer_per_second: Math.round(consumer.perSecond),
        path_per_second: Math.round(path.perSecond),
      };
      return { measured, spread: { ledger, consumer, path } };
    } finally {
      for (const meter of meters.reverse()) await meter.close();
    }
  });
}
