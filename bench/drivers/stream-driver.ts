// A process of its own: takes one StreamJob over IPC, drives it, sends back one StreamResult and ends.
import { closedLoop } from './closed-loop.js';
import { isServed, OpenLoop, type Phase, type Stretch } from './open-loop.js';
import { encodeItem, type ItemWish, StreamLoad } from './stream-load.js';

/** Reservations for one unit of one sku over ReserveStream, each with a user and a request id of its own. */
export interface StreamJob extends Omit<ItemWish, 'skuId'> {
  /** Gateways, `host:port`; messages go to each in turn. */
  addresses: string[];
  /** Wanted in turn. */
  skuIds: string[];
  /** At given times, or as fast as they are answered. */
  load: OpenPlan | ClosedPlan;
}

export interface OpenPlan {
  phases: Phase[];
  /** How finely the course of the run is reported. */
  windowMs: number;
  /** Whether a no counts as served too, as it must where nothing is left; false by default. */
  countRefused?: boolean;
}

export interface ClosedPlan {
  inFlight: number;
  /** The first of them warm up, and do not count. */
  warmUp: number;
  items: number;
}

/** What became of the items, of an open loop by phase and by window, of a closed one in one stretch after the warm-up. */
export interface StreamResult {
  phases: Stretch[];
  windows: Stretch[];
  /** CPU time of this process by duration: near 1, the driver could not keep to its times. */
  busyShare: number;
}

/** A gateway that answers no more would hold a closed loop for ever, and an open one until the last is due. */
const patienceMs = 180_000;

process.once('message', (job) => {
  const { load } = job as StreamJob;
  const plannedMs = 'phases' in load ? load.phases.reduce((sum, { ms }) => sum + ms, 0) : 0;
  setTimeout(() => process.exit(1), plannedMs + patienceMs).unref();
  void drive(job as StreamJob).then((result) => process.send?.(result, () => process.disconnect()));
});

async function drive(job: StreamJob): Promise<StreamResult> {
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  const stretches = 'phases' in job.load ? await driveOpen(job, job.load) : await driveClosed(job, job.load);
  const cpu = process.cpuUsage(cpuBefore);
  return { ...stretches, busyShare: (cpu.user + cpu.system) / 1000 / (performance.now() - begun) };
}

async function driveOpen(
  job: StreamJob,
  { phases, windowMs, countRefused = false }: OpenPlan,
): Promise<Omit<StreamResult, 'busyShare'>> {
  const counts = (outcome: string): boolean => isServed(outcome) || (countRefused && outcome === 'REFUSED');
  const loop = new OpenLoop(phases, counts);
  const items = encodeItems(job, loop.items);
  const load = await StreamLoad.open(job.addresses, loop.end);
  let message = 0;
  await loop.run((from, to) => load.send(message++, items.slice(from, to)), job.deadlineMs);
  load.close();
  const ends = phases.map((_, index) => phases.slice(0, index + 1).reduce((sum, { ms }) => sum + ms, 0));
  const windows = Math.ceil((ends.at(-1) ?? 0) / windowMs);
  return {
    phases: phases.map(({ ms }, index) => loop.stretch((ends[index] ?? 0) - ms, ends[index] ?? 0)),
    windows: Array.from({ length: windows }, (_, n) => loop.stretch(n * windowMs, (n + 1) * windowMs)),
  };
}

async function driveClosed(job: StreamJob, plan: ClosedPlan): Promise<Omit<StreamResult, 'busyShare'>> {
  const items = encodeItems(job, plan.warmUp + plan.items);
  let message = 0;
  let end: (item: number, outcome: string) => void = () => {};
  const load = await StreamLoad.open(job.addresses, (item, outcome) => end(item, outcome));
  const loop = closedLoop(plan, (from, to) => load.send(message++, items.slice(from, to)));
  end = loop.end;
  const stretch = await loop.run();
  load.close();
  return { phases: [stretch], windows: [] };
}

function encodeItems({ skuIds, ...wish }: StreamJob, count: number): Buffer[] {
  return Array.from({ length: count }, (_, n) => encodeItem({ ...wish, skuId: skuIds[n % skuIds.length] ?? '' }, n));
}
