const FIRST_MS = 100;
const MAX_MS = 5_000;
/** After so long a life the next death is a new story, and the pauses begin anew. */
const STEADY_MS = 10_000;

/** How long to wait before what died is started again: longer each time that it dies soon. */
export class RestartPauses {
  #deaths = 0;
  #startedAt: number;

  constructor(readonly now: () => number = Date.now) {
    this.#startedAt = now();
  }

  /** How often it died since it last lived long. */
  get deaths(): number {
    return this.#deaths;
  }

  started(): void {
    this.#startedAt = this.now();
  }

  /** Counts a death; returns the pause in ms. */
  afterDeath(): number {
    this.#deaths = this.now() - this.#startedAt > STEADY_MS ? 1 : this.#deaths + 1;
    return Math.min(MAX_MS, FIRST_MS * 2 ** (this.#deaths - 1));
  }
}
