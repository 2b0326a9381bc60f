// A process of its own: takes one HttpJob over IPC, drives it, sends back one StreamResult and ends.
import { HttpPool } from '../../deploy/rush/http-pool.js';
import { OpenLoop, type Phase } from './open-loop.js';
import { peopleCount, peoplesTokens } from './people.js';
import type { StreamResult } from './stream-driver.js';

/** Orders of one unit of one sku over HTTP at given times, each for an attendee and with a key of its own. */
export interface HttpJob {
  /** Base URL of an edge. */
  url: string;
  storeId: string;
  skuId: string;
  /** Begins every attendee and key. */
  tag: string;
  phases: Phase[];
  timeoutMs: number;
}

const sockets = 512;
/** What an answer is called whose status is one of these. */
const outcomeOf: Record<number, string> = { 201: 'HELD', 202: 'PENDING' };

process.once('message', (job) => {
  void drive(job as HttpJob).then((result) => process.send?.(result, () => process.disconnect()));
});

async function drive({ url, storeId, skuId, tag, phases, timeoutMs }: HttpJob): Promise<StreamResult> {
  const loop = new OpenLoop(phases);
  const pool = new HttpPool(url, sockets);
  const tokens = peoplesTokens();
  await pool.warmUp(sockets);
  const order = async (n: number): Promise<void> => {
    const lines = [{ sku_id: skuId, quantity: 1, attendee_id: `${tag}-a${n}` }];
    const headers = { authorization: tokens[n % peopleCount] ?? '', 'idempotency-key': `${tag}-k${n}` };
    const body = JSON.stringify({ store_id: storeId, lines });
    try {
      const { status } = await pool.ask({ method: 'POST', path: '/v1/orders', headers, body, timeoutMs });
      loop.end(n, outcomeOf[status] ?? `status ${status}`);
    } catch {
      loop.end(n, 'no answer');
    }
  };
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  await loop.run((from, to) => {
    for (let n = from; n < to; n += 1) void order(n);
  }, timeoutMs);
  const cpu = process.cpuUsage(cpuBefore);
  const busyShare = (cpu.user + cpu.system) / 1000 / (performance.now() - begun);
  pool.close();
  const ends = phases.map((_, index) => phases.slice(0, index + 1).reduce((sum, { ms }) => sum + ms, 0));
  const stretches = phases.map(({ ms }, index) => loop.stretch((ends[index] ?? 0) - ms, ends[index] ?? 0));
  return { phases: stretches, windows: [], busyShare };
}
