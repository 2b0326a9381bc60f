import { ask, type Flow } from './flow.js';
import type { Inventory } from './inventory.js';
import type { Mesh } from './mesh.js';

const NOTE_MS = 2000;
const CLOCK_MS = 100;
const NOTE_AGAIN_MS = 250;

/** Tries that no mark knows of, as unmarked-tries.ts has them: the ledger is told before the first of them goes on. */
export class UnmarkedTries {
  #notedUntilMs = 0;
  /** The ledger cannot be told; it is as soon as it answers again. */
  #isAway = false;

  constructor(
    private readonly mesh: Mesh,
    private readonly inventory: Inventory,
  ) {}

  *note(): Flow {
    if (this.#notedUntilMs - this.inventory.ledgerMs > CLOCK_MS || this.#isAway) return;
    try {
      this.#notedUntilMs = yield* ask('LEDGER', () => this.mesh.ledger.unmarkedNote(NOTE_MS));
    } catch {
      this.#isAway = true;
      this.mesh.world.spawn(this.inventory.process, 'noting unmarked tries', this.#noteLater());
    }
  }

  *#noteLater(): Flow {
    while (this.#isAway) {
      try {
        this.#notedUntilMs = yield* ask('LEDGER', () => this.mesh.ledger.unmarkedNote(NOTE_MS));
        this.#isAway = false;
      } catch {
        yield* this.mesh.world.pause(this.inventory.process, NOTE_AGAIN_MS);
      }
    }
  }
}
