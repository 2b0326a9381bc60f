import { setTimeout as pause } from 'node:timers/promises';
import type { MeshFile } from '#libs/mesh/mesh-file.js';
import { Operator } from '../../deploy/drill/operator.js';

const lookEveryMs = 10;
const heardWithinMs = 5_000;

/** What inventory says about the way into the ledger. */
interface StockStats {
  paths: { stock: 'REDIS' | 'POSTGRES' };
}

/** The stock path of a mesh with one inventory, in the hands of an operator. */
export class StockSwitch {
  readonly #operator: Operator;
  readonly #stats: string;

  constructor(mesh: MeshFile) {
    this.#operator = new Operator({ mesh: { describe: () => mesh } });
    this.#stats = `http://${mesh.services.inventory?.[0]?.admin}/stats`;
  }

  /** Resolves when orders go that way; rejects when they do not within 5 s. */
  async set(path: 'AUTO' | 'POSTGRES'): Promise<void> {
    await this.#operator.switchTo(path);
    await this.untilOrdersGo(path === 'AUTO' ? 'REDIS' : path, heardWithinMs);
  }

  /** Resolves when inventory takes that way. */
  async untilOrdersGo(way: StockStats['paths']['stock'], withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while ((await this.#way()) !== way) {
      if (performance.now() > until) throw new Error(`after ${withinMs} ms orders do not go by ${way}`);
      await pause(lookEveryMs);
    }
  }

  close(): void {
    this.#operator.close();
  }

  async #way(): Promise<string> {
    const answer = await fetch(this.#stats);
    return ((await answer.json()) as StockStats).paths.stock;
  }
}
