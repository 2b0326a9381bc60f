import { join } from 'node:path';
import { testIdentityDirectory } from '#libs/testing/test-issuer.js';
import { importSkus, type SkuWish } from '../../deploy/local/import-skus.js';
import { type Mesh, type MeshOptions, startMesh } from '../../deploy/local/mesh.js';
import type { BenchmarkContext } from '../frame/benchmark.js';
import { LedgerWitness } from './ledger-witness.js';

/**
 * All load comes from one address, which is no caller's that would be limited. And on a machine that others use too Redis
 * is late now and then; how a mesh goes on without it is not what is measured.
 */
export const benchSettings = {
  LOG_LEVEL: 'warn',
  REDIS_TIMEOUT_MS: '1000',
  CALLER_RATE_PER_SECOND: '1000000',
  CALLER_RATE_BURST: '1000000',
};

/** Of every sku. */
export const storeId = 'bench';
/** A unit for everybody, nobody limited, and no hold that ends while others are measured. */
const plentiful = {
  ...{ storeId, priceMinor: 1500, holdTtlSeconds: 86_400 },
  rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
};

const shownLines = 10;
const shownLength = 500;

/** A mesh to measure, and the looks into its ledger. Both are closed with the lifecycle, and can be closed before. */
export interface BenchMesh {
  mesh: Mesh;
  witness: LedgerWitness;
  /** Puts skus on sale, so many units each. */
  putSkus(skuIds: readonly string[], capacity: number, terms?: Partial<SkuWish>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one with a folder of its own. */
export async function startBenchMesh(
  { directory, life, progress }: Pick<BenchmarkContext, 'directory' | 'life' | 'progress'>,
  { name = 'mesh', env = {}, ...options }: { name?: string } & Pick<MeshOptions, 'env' | 'scale' | 'without'> = {},
): Promise<BenchMesh> {
  const settings = { ...benchSettings, ...env };
  const complaints = { left: 0 };
  const mesh = await startMesh({
    ...options,
    directory: join(directory, name),
    env: settings,
    identity: testIdentityDirectory(),
    report: progress,
    onLine: (process, line) => complain(complaints, `${process}: ${line}`),
  });
  complaints.left = shownLines; // While it starts, one waits for the other and says so.
  const witness = new LedgerWitness(mesh.servers.urls.postgres);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    complaints.left = 0;
    stopping ??= witness.close().finally(() => mesh.stop());
    return stopping;
  };
  life.closer(name, stop);
  const putSkus: BenchMesh['putSkus'] = (skuIds, capacity, terms = {}) =>
    importSkus(
      mesh.describe().services.inventory?.[0]?.grpc ?? '',
      skuIds.map((skuId) => ({ ...plentiful, skuId, title: skuId, capacity, ...terms })),
    );
  return { mesh, witness, putSkus, stop };
}

/** Whatever a service at log level "warn" has to say spoils a measurement; a few lines tell why. */
function complain(complaints: { left: number }, line: string): void {
  if (complaints.left === 0) return;
  complaints.left -= 1;
  process.stderr.write(`${line.slice(0, shownLength)}\n`);
}
