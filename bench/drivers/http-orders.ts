import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findWrk } from '#libs/servers/find-servers.js';
import { installServers } from '#libs/servers/install-servers.js';
import { peoplesTokens } from './people.js';

const script = fileURLToPath(new URL('./lua/http_orders.lua', import.meta.url));
const timeoutSeconds = 10;

/** Orders of one unit over HTTP, each for an attendee and with a key of its own, in a closed loop. */
export interface HttpOrders {
  /** Base URL of an edge. */
  url: string;
  storeId: string;
  /** `####` in it stands for 0000 to 0999 by turns. */
  skuId: string;
  /** Begins every attendee and key. */
  tag: string;
  connections: number;
  seconds: number;
  /** Hears of every 201, with the time at which it arrived in Unix milliseconds. Costs the driver some of its speed. */
  onYes?: (atMs: number) => void;
}

export interface HttpOrdersResult {
  requests: number;
  durationMs: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the driver, one thread: near 1, it is what was measured. */
  busyShare: number;
  /** Answers with a status of 400 and above. A sold-out sku gives nothing else. */
  refusals: number;
  /** Requests without an answer. */
  lost: number;
}

interface WrkReport {
  requests: number;
  duration_us: number;
  p50_us: number;
  p99_us: number;
  not_2xx: number;
  broken: number;
  timed_out: number;
  cpu_s: number;
}

/** Finds wrk, and installs it where it is missing. */
export async function wrkProgram(report: (line: string) => void): Promise<string> {
  if (findWrk() === undefined) await installServers(['wrk'], report);
  return findWrk() ?? 'wrk';
}

let tokensFile: string | undefined;

/** A file with a token in each line. */
function tokensPath(): string {
  if (tokensFile === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-tokens-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    tokensFile = join(directory, 'tokens');
    writeFileSync(tokensFile, peoplesTokens().join('\n'));
  }
  return tokensFile;
}

/** Runs wrk once. Rejects when it ends without a report. */
export async function driveHttp(wrk: string, orders: HttpOrders): Promise<HttpOrdersResult> {
  const { url, storeId, skuId, tag, connections, seconds, onYes } = orders;
  const load = ['-t', '1', '-c', `${connections}`, '-d', `${seconds}s`, '--timeout', `${timeoutSeconds}s`];
  const args = [...load, '-s', script, url, '--', storeId, skuId, tag, onYes ? 'hear' : 'deaf', tokensPath()];
  const child = spawn(wrk, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('yes ')) onYes?.(Number(line.slice(4)));
    else if (line.startsWith('{')) last = line;
  }
  if (last === '') throw new Error('wrk ended without a report');
  return resultOf(JSON.parse(last) as WrkReport);
}

function resultOf(report: WrkReport): HttpOrdersResult {
  const seconds = report.duration_us / 1e6;
  return {
    requests: report.requests,
    durationMs: seconds * 1000,
    p50Ms: report.p50_us / 1000,
    p99Ms: report.p99_us / 1000,
    busyShare: report.cpu_s / seconds,
    refusals: report.not_2xx,
    lost: report.broken + report.timed_out,
  };
}
