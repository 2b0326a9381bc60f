import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { findServers } from '#libs/servers/find-servers.js';
import { median } from './paired-runs.js';

/** What a figure depends on besides the code. */
export interface MachineFacts {
  cores: number;
  cpu: string;
  memory_gb: number;
  node: string;
  postgres: string;
  redis: string;
  nats: string;
  /** Median time of writing 8 kB, a page of a write-ahead log, and syncing it. */
  fsync_us: number;
}

const syncs = 200;

/** Measures the disk under `directory` and asks each server program for its version. */
export function machineFacts(directory: string): MachineFacts {
  const found = findServers();
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memory_gb: Math.round(totalmem() / 1e9),
    node: process.version,
    postgres: versionOf(found.postgres?.postgres),
    redis: versionOf(found.redis),
    nats: versionOf(found.nats),
    fsync_us: fsyncMicroseconds(directory),
  };
}

function versionOf(program: string | undefined): string {
  if (program === undefined) return 'absent';
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(stdout ?? '')?.[0] ?? 'unknown';
}

function fsyncMicroseconds(directory: string): number {
  const file = join(directory, 'fsync-probe');
  const page = Buffer.alloc(8192, 1);
  const handle = openSync(file, 'w');
  const times: number[] = [];
  for (let sync = 0; sync < syncs; sync++) {
    const begun = process.hrtime.bigint();
    writeSync(handle, page);
    fsyncSync(handle);
    times.push(Number(process.hrtime.bigint() - begun) / 1000);
  }
  closeSync(handle);
  rmSync(file);
  return Math.round(median(times));
}
