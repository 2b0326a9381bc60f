import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { meterCpu } from '../drivers/process-cpu.js';
import { memoryMb } from '../drivers/process-memory.js';

const idleMs = 3_000;

/** CPU time in microseconds: of each service, all its processes together, of each server, and of all. */
export interface MeshCpu {
  byPart: Record<string, number>;
  all: number;
}

/** Begins to count; the function returned tells what has been used since. */
export function meterMeshCpu({ services, infra }: MeshFile): () => MeshCpu {
  const parts = new Map<string, string>();
  const pids: Record<string, number | undefined> = {};
  for (const [part, processes] of Object.entries(services)) {
    for (const [n, { pid }] of processes.entries()) {
      pids[`${part}-${n}`] = pid;
      parts.set(`${part}-${n}`, part);
    }
  }
  for (const [part, server] of Object.entries(infra)) {
    pids[part] = server?.pid;
    parts.set(part, part);
  }
  const spent = meterCpu(pids);
  return () => {
    const byPart: Record<string, number> = {};
    for (const [name, microseconds] of Object.entries(spent(1))) {
      const part = parts.get(name.replace(/_cpu_us_per_item$/, '')) ?? name;
      byPart[part] = (byPart[part] ?? 0) + microseconds;
    }
    return { byPart, all: Object.values(byPart).reduce((sum, one) => sum + one, 0) };
  };
}

/** Share of a core that a mesh uses while nobody comes. */
export async function idleCores(mesh: MeshFile): Promise<number> {
  const begun = performance.now();
  const spent = meterMeshCpu(mesh);
  await pause(idleMs);
  return spent().all / 1_000 / (performance.now() - begun);
}

/** What a mesh keeps, in megabytes: in Redis, in the ledger's database, and in the memory of its largest service process. */
export async function keptMb(mesh: MeshFile): Promise<{ redis: number; ledger: number; largestProcess: number }> {
  const processes = Object.values(mesh.services).flat();
  return {
    redis: mesh.infra.redis ? await redisMb(mesh.infra.redis.url) : 0,
    ledger: await ledgerMb(mesh.infra.postgres.url),
    largestProcess: Math.max(...processes.map(({ pid }) => memoryMb(pid))),
  };
}

async function redisMb(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]) / 1e6;
  } finally {
    redis.disconnect();
  }
}

async function ledgerMb(connectionString: string): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
    return Number(rows[0]?.bytes) / 1e6;
  } finally {
    await client.end();
  }
}
