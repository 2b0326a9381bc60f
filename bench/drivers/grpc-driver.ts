// A process of its own: takes one DriveJob over IPC, drives it, sends back one DriveResult and ends.
import { GrpcLoad } from './grpc-load.js';
import { peopleCount, peoplesTokens } from './people.js';
import { reserveFrames } from './reserve-frames.js';

/** Reserve calls for one unit of one sku, each for an attendee and with a request id of its own. */
export interface DriveJob {
  /** `host:port` of a gRPC server. */
  address: string;
  path: string;
  storeId: string;
  skuId: string;
  /** Begins every attendee and request id. */
  tag: string;
  /** Calls before the clock starts; they are counted among the outcomes all the same. */
  warmUp: number;
  requests: number;
  inFlight: number;
  deadlineMs: number;
}

/** How the calls ended. */
export interface DriveResult {
  /** Of the `requests` after the warm-up. */
  durationMs: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of this process by duration: near 1, the driver is what was measured. */
  busyShare: number;
  /** Over all calls, those of the warm-up too: HELD, PENDING, REFUSED, or `status <number>`. */
  outcomes: Record<string, number>;
}

const connections = 4;
/** First byte of a ReserveResponse: its outcome's field number and wire type. */
const outcomeOfTag: Record<number, string> = { 10: 'HELD', 18: 'PENDING', 26: 'REFUSED' };
const messageAt = 5;

process.once('message', (job) => {
  void drive(job as DriveJob).then((result) => process.send?.(result, () => process.disconnect()));
});

async function drive(job: DriveJob): Promise<DriveResult> {
  const { address, path, deadlineMs, inFlight } = job;
  const load = await GrpcLoad.open({ address, path, connections, deadlineMs });
  const outcomes: Record<string, number> = {};
  const count = (_call: number, reply: Buffer | undefined, status: string | undefined): void => {
    const outcome = outcomeOf(reply, status);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const tokens = peoplesTokens();
  const tokenOf = (n: number): string => tokens[n % peopleCount] ?? '';
  const run = (tag: string, requests: number): Promise<Float64Array> =>
    load.run(reserveFrames(job.storeId, job.skuId, tag, requests), inFlight, tokenOf, count);

  if (job.warmUp > 0) await run(`${job.tag}w`, job.warmUp);
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  const latencies = await run(`${job.tag}m`, job.requests);
  const durationMs = performance.now() - begun;
  const cpu = process.cpuUsage(cpuBefore);
  load.close();
  latencies.sort();
  return {
    durationMs,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    busyShare: (cpu.user + cpu.system) / 1000 / durationMs,
    outcomes,
  };
}

function outcomeOf(reply: Buffer | undefined, status: string | undefined): string {
  if (status !== '0') return `status ${status ?? 'missing'}`;
  return outcomeOfTag[reply?.[messageAt] ?? 0] ?? 'an unknown outcome';
}
