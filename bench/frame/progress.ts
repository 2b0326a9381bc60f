import { Forecast } from './forecast.js';

/** One line of a terminal, written over by the next; nothing where nobody watches. */
export class Progress {
  readonly #forecast: Forecast;
  readonly #ids: string[];
  readonly #begun = performance.now();
  #current = -1;
  #currentBegun = performance.now();

  constructor(
    private readonly terminal: NodeJS.WriteStream,
    resultsDirectory: string,
    chosen: readonly { id: string }[],
    quick: boolean,
  ) {
    this.#ids = chosen.map(({ id }) => id);
    this.#forecast = new Forecast(resultsDirectory, this.#ids, quick);
  }

  /** Since the run began. */
  get seconds(): number {
    return (performance.now() - this.#begun) / 1_000;
  }

  /** The next benchmark begins. */
  next(): void {
    this.#current += 1;
    this.#currentBegun = performance.now();
  }

  say(text: string): void {
    const left = this.#forecast.left(this.#ids.slice(this.#current), (performance.now() - this.#currentBegun) / 1_000);
    const [at, of] = [this.#current + 1, this.#ids.length];
    this.#show(
      `${at} of ${of}, ${clock(this.seconds)}, about ${clock(left)} left: ${this.#ids[this.#current]} ${text}`,
    );
  }

  /** Gives the line back to whoever writes next. */
  clear(): void {
    this.#show('');
  }

  #show(text: string): void {
    if (this.terminal.isTTY) this.terminal.write(`\r\x1b[2K${text.slice(0, this.terminal.columns - 1)}`);
  }
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
