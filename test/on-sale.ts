import { randomUUID } from 'node:crypto';
import type { Press } from './press.js';
import type { TestMesh } from './test-mesh.js';

/** A sku as a press names it. */
export interface OnSale {
  skuId: string;
  storeId: string;
}

export interface Limit {
  perSecond: number;
  burst: number;
  /** FAIL by default. */
  onBusy?: 'QUEUE' | 'FAIL';
}

type SkuParts = Parameters<TestMesh['ledger']['sku']>[0];

/** Puts a sku on sale, with units for everybody unless `parts` says otherwise. */
export async function onSale(mesh: TestMesh, limit: Limit, parts: SkuParts = {}): Promise<OnSale> {
  const { perSecond, burst, onBusy = 'FAIL' } = limit;
  const terms = { capacity: 100_000, perUserLimit: 1_000, rateLimit: { perSecond, burst }, onBusy };
  const { skuId, storeId } = await mesh.ledger.sku({ ...terms, ...parts });
  return { skuId, storeId };
}

/** Somebody new, who wants one of it. */
export function somebody({ skuId, storeId }: OnSale): Press {
  return { skuId, storeId, user: `user-${randomUUID()}`, key: 'key' };
}

/** What a bucket that was full lets through at most, from now until it is asked. */
export function ceiling({ perSecond, burst }: Limit): () => number {
  const startedAt = performance.now();
  return () => burst + Math.ceil((perSecond * (performance.now() - startedAt)) / 1_000) + 1;
}
