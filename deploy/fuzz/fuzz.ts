import { randomUUID } from 'node:crypto';
import { inventoryOf } from '#libs/mesh/inventory-of.js';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { importSkus } from '../local/import-skus.js';
import { seededRandom } from '../rush/random.js';
import { Findings } from './findings.js';
import { GrpcFrames } from './grpc-frames.js';
import { HttpBodies } from './http-bodies.js';
import { peopleOf } from './people.js';
import { RawBytes } from './raw-bytes.js';
import { whatMoved } from './units.js';

/** How many are on their way at once. */
const AT_ONCE = 48;
const PEOPLE = 20;
/** So many that no limit is what refuses. */
const CAPACITY = 1_000_000;
/** Of a hundred that are sent. */
const BODIES = 70;
const FRAMES = 25;

export interface FuzzOptions {
  /** The mesh as it is; asked again at the end. */
  mesh: () => MeshFile;
  count: number;
  seed: number;
  /** Hears how many were sent. */
  onProgress?: (sent: number) => void;
}

export interface FuzzReport {
  id: 'fuzz';
  seed: number;
  sent: number;
  /** Answers that should not have been, processes that died, and units that moved untold. */
  wrong: number;
  orders_told: number;
  restarted: string[];
}

/** Sends `count` random things, and judges every answer, every process and every unit. */
export async function runFuzz(options: FuzzOptions): Promise<{ report: FuzzReport; findings: Findings }> {
  const { count, seed, onProgress } = options;
  const before = options.mesh();
  const sku = { storeId: 'fuzz', skuId: `fuzz-${randomUUID()}` };
  await putOnSale(before, sku);
  const findings = new Findings();
  const people = peopleOf(PEOPLE, before.identity, sku.storeId);
  const http = new URL(before.http).host;
  const bodies = new HttpBodies(before.http, people, sku);
  const frames = new GrpcFrames(before.gateway, people, sku);
  const bytes = new RawBytes([http, before.gateway]);
  const random = seededRandom(seed);
  let left = count;
  const shootOn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const kind = random.integer(0, 99);
      const gun = kind < BODIES ? bodies : kind < BODIES + FRAMES ? frames : bytes;
      await gun.shoot(random, findings);
      onProgress?.(findings.sent);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, shootOn));
  bodies.close();
  frames.close();

  const restarted = restartedBetween(before, options.mesh());
  for (const name of restarted) findings.find({ target: name, wrong: 'it died and was started again', sent: '' });
  const moved = await whatMoved(before.infra.postgres.url, sku.skuId, findings.orders);
  for (const finding of moved) findings.find(finding);
  const { sent, wrong, orders } = findings;
  return { report: { id: 'fuzz', seed, sent, wrong, orders_told: orders.size, restarted }, findings };
}

async function putOnSale(mesh: MeshFile, { storeId, skuId }: { storeId: string; skuId: string }): Promise<void> {
  const freely = { perSecond: 1_000_000, burst: 1_000_000 };
  const terms = { title: skuId, capacity: CAPACITY, perUserLimit: CAPACITY, maxPerOrder: 10, rateLimit: freely };
  await importSkus(inventoryOf(mesh), [{ ...terms, skuId, storeId, priceMinor: 100 }]);
}

function restartedBetween(before: MeshFile, after: MeshFile): string[] {
  return Object.entries(before.services).flatMap(([service, processes]) =>
    processes.flatMap(({ pid }, at) => (after.services[service]?.[at]?.pid === pid ? [] : [`${service}-${at + 1}`])),
  );
}
