import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { assert } from '#libs/testing/suite.js';
import { type Mesh, startMesh } from '../../deploy/local/mesh.js';
import type { DispensableServer } from '../../deploy/local/topology.js';
import { runRush } from '../../deploy/rush/rush.js';
import { scenarioNamed } from '../../deploy/rush/scenarios/scenarios.js';
import type { RushLimits } from '../../deploy/rush/stock-room.js';

/** A mesh of processes without one or two of its servers. */
export class SmallMesh {
  readonly #directory: string;
  readonly #without: readonly DispensableServer[];
  readonly #mesh: Mesh;
  readonly #lines: string[];

  private constructor(options: { directory: string; without: DispensableServer[]; mesh: Mesh; lines: string[] }) {
    this.#directory = options.directory;
    this.#without = options.without;
    this.#mesh = options.mesh;
    this.#lines = options.lines;
  }

  static async start(without: DispensableServer[]): Promise<SmallMesh> {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-set-up-'));
    chmodSync(directory, 0o755); // Under root Postgres runs as another user, who has to get in.
    const lines: string[] = [];
    const env = { LOG_LEVEL: 'warn' };
    const mesh = await startMesh({ directory, without, env, onLine: (name, line) => lines.push(`${name} ${line}`) });
    return new SmallMesh({ directory, without, mesh, lines });
  }

  get http(): string {
    return this.#mesh.describe().http;
  }

  /** What shows its edge who asks. */
  tokenOf(user: string): string {
    return localTokens(this.#mesh.describe().identity)(user);
  }

  get inventory(): string {
    return this.#mesh.describe().services.inventory?.[0]?.grpc ?? '';
  }

  get servers(): string[] {
    return Object.keys(this.#mesh.describe().infra);
  }

  /** What a crowd of that scenario found wrong. */
  async crowd(name: string, limits: RushLimits): Promise<string[]> {
    const scenario = scenarioNamed(name, 1);
    assert.ok(scenario);
    const { verdict } = await runRush({ mesh: this.#mesh.describe(), scenario, limits, terminal: process.stderr });
    return verdict.failures;
  }

  /** The processes that are not ready. */
  async unready(): Promise<string[]> {
    const admins = Object.values(this.#mesh.describe().services).flatMap((processes) =>
      processes.map((one) => one.admin),
    );
    const answers = await Promise.all(admins.map((admin) => fetch(`http://${admin}/readyz`)));
    return answers.filter(({ ok }) => !ok).map(({ url }) => url);
  }

  /** Warnings and worse about servers that are not there, of which nobody should miss anything. */
  complaints(): string[] {
    return this.#lines.filter((line) => this.#without.some((server) => line.toLowerCase().includes(server)));
  }

  async stop(): Promise<void> {
    await this.#mesh.stop();
    rmSync(this.#directory, { recursive: true });
  }
}
