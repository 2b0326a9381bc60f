/**
 * An even sample of a stream of unknown length: every item that was offered is in it with the same chance, and it never holds
 * more than `max`.
 */
export class Reservoir<Item> {
  #kept: Item[] = [];
  #offered = 0;

  /** `random` is in [0, 1). */
  constructor(
    private readonly max: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** `make` is called for an item that is kept. */
  offer(make: () => Item): void {
    this.#offered += 1;
    if (this.#kept.length < this.max) {
      this.#kept.push(make());
      return;
    }
    const at = Math.floor(this.random() * this.#offered);
    if (at < this.max) this.#kept[at] = make();
  }

  /** What was kept since the last time, and for how many each of them stands. */
  take(): { kept: Item[]; weight: number } {
    const [kept, offered] = [this.#kept, this.#offered];
    this.#kept = [];
    this.#offered = 0;
    return { kept, weight: kept.length === 0 ? 1 : offered / kept.length };
  }
}
