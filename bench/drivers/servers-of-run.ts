import { join } from 'node:path';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { type BenchMesh, startBenchMesh } from './bench-mesh.js';
import { LedgerCopies } from './ledger-copies.js';

/** The audit after each run looks at all orders: of more than so many it would take as long as a new mesh. */
const mostOrders = 150_000;

export interface ServersOptions {
  directory: string;
  /** Closes whatever was started. */
  life: Lifecycle;
  report(text: string): void;
}

/** What several benchmarks of a run need alike: started for the first who asks, and kept for those who come after it. */
export class ServersOfRun {
  #mesh: Promise<BenchMesh> | undefined;
  #copies: Promise<LedgerCopies> | undefined;
  #meshes = 0;

  constructor(private readonly options: ServersOptions) {}

  /** A mesh with one of each service. Whoever uses it takes skus and tags that nobody had before, and puts its switches back. */
  mesh(): Promise<BenchMesh> {
    const { report, ...where } = this.options;
    this.#mesh ??= startBenchMesh({ ...where, progress: report }, { name: `mesh-${++this.#meshes}` });
    return this.#mesh;
  }

  /** A Postgres for ledgers of one run each. */
  ledgerCopies(): Promise<LedgerCopies> {
    const { directory, life } = this.options;
    this.#copies ??= LedgerCopies.open(join(directory, 'ledgers'), life);
    return this.#copies;
  }

  /** Stops the mesh when its ledger has become large. */
  async stopLargeMesh(): Promise<void> {
    const mesh = await this.#mesh;
    if (mesh !== undefined && (await mesh.witness.orders()) > mostOrders) await this.stopMesh();
  }

  /** Stops the mesh; whoever asks after that gets a new one. */
  async stopMesh(): Promise<void> {
    const mesh = await this.#mesh?.catch(() => undefined);
    this.#mesh = undefined;
    await mesh?.stop();
  }
}
