import { type Paint, painter } from '#libs/terminal/paint.js';
import type { Failure } from './failure.js';

/** Where texts go; a terminal when `isTTY`. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

export interface ScreenOptions {
  stdout: Sink;
  stderr: Sink;
  env: { readonly NO_COLOR?: string | undefined };
}

/** What a command shows: a text for people on a screen, or one JSON document for programs. */
export class Screen {
  readonly paint: Paint;
  readonly #paintError: Paint;
  /** Set by --json. */
  json = false;

  constructor(private readonly options: ScreenOptions) {
    this.paint = painter(options.stdout, options.env);
    this.#paintError = painter(options.stderr, options.env);
  }

  show(result: object, text: () => string): void {
    this.options.stdout.write(`${this.json ? JSON.stringify(result) : text()}\n`);
  }

  /** Something to look at, of a command that was done. */
  warn(warning: string): void {
    const text = this.json ? JSON.stringify({ warning }) : this.#paintError('yellow', warning);
    this.options.stderr.write(`${text}\n`);
  }

  fail({ exitCode, reason, problems, advice }: Failure): void {
    if (this.json) {
      const error = { reason, problems, exit_code: exitCode, ...(advice !== '' && { advice }) };
      this.options.stderr.write(`${JSON.stringify({ error })}\n`);
      return;
    }
    for (const problem of problems) this.options.stderr.write(`${this.#paintError('red', problem)}\n`);
    if (advice !== '') this.options.stderr.write(`${advice}\n`);
  }
}
