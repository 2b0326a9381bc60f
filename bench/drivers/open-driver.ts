// A process of its own: takes one OpenJob over IPC, drives it, sends back one OpenResult and ends.
import { OpenLoop, type Phase, type Stretch } from './open-loop.js';
import { encodeItem, type ItemWish, StreamLoad } from './stream-load.js';

/** Reservations for one unit of one sku in an open loop, each with a user and a request id of its own, over ReserveStream. */
export interface OpenJob extends Omit<ItemWish, 'skuId'> {
  /** Gateways, `host:port`; messages go to each in turn. */
  addresses: string[];
  /** Wanted in turn. */
  skuIds: string[];
  phases: Phase[];
  /** How finely the course of the run is reported. */
  windowMs: number;
}

export interface OpenResult {
  /** One for each phase. */
  phases: Stretch[];
  windows: Stretch[];
  /** CPU time of this process by duration: near 1, the driver could not keep to its times. */
  busyShare: number;
}

process.once('message', (job) => {
  void drive(job as OpenJob).then((result) => process.send?.(result, () => process.disconnect()));
});

async function drive({ addresses, phases, windowMs, skuIds, ...wish }: OpenJob): Promise<OpenResult> {
  const loop = new OpenLoop(phases);
  const items = Array.from({ length: loop.items }, (_, n) =>
    encodeItem({ ...wish, skuId: skuIds[n % skuIds.length] ?? '' }, n),
  );
  const load = await StreamLoad.open(addresses, loop.end);
  let message = 0;
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  await loop.run((from, to) => load.send(message++, items.slice(from, to)), wish.deadlineMs);
  const durationMs = performance.now() - begun;
  const cpu = process.cpuUsage(cpuBefore);
  load.close();

  const ends = phases.map((_, index) => phases.slice(0, index + 1).reduce((sum, { ms }) => sum + ms, 0));
  const windows = Math.ceil((ends.at(-1) ?? 0) / windowMs);
  return {
    phases: phases.map(({ ms }, index) => loop.stretch((ends[index] ?? 0) - ms, ends[index] ?? 0)),
    windows: Array.from({ length: windows }, (_, n) => loop.stretch(n * windowMs, (n + 1) * windowMs)),
    busyShare: (cpu.user + cpu.system) / 1000 / durationMs,
  };
}
