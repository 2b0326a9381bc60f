import { type Paint, painter } from '#libs/terminal/paint.js';
import type { Failure } from './failure.js';

const [clear, home, clearLine, clearBelow] = ['\u001b[2J', '\u001b[H', '\u001b[K', '\u001b[J'];

/** Where texts go; a terminal when `isTTY`. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
  /** Lines of the terminal. */
  rows?: number;
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
  #isDrawn = false;
  /** Set by --json. */
  json = false;

  constructor(private readonly options: ScreenOptions) {
    this.paint = painter(options.stdout, options.env);
    this.#paintError = painter(options.stderr, options.env);
  }

  show(result: object, text: () => string): void {
    this.options.stdout.write(`${this.json ? JSON.stringify(result) : text()}\n`);
  }

  line(text: string): void {
    this.options.stdout.write(`${text}\n`);
  }

  /** Whether a text is drawn again where it stands; elsewhere it would only be repeated. */
  get isRedrawn(): boolean {
    return this.options.stdout.isTTY === true && !this.json;
  }

  /** Draws over what stands there, line by line, so that nothing flickers; of what does not fit the last line stays. */
  redraw(text: string): void {
    const { stdout } = this.options;
    const start = this.#isDrawn ? home : clear + home;
    this.#isDrawn = true;
    const lines = fitting(text.split('\n'), stdout.rows);
    stdout.write(`${start}${lines.map((line) => `${line}${clearLine}\n`).join('')}${clearBelow}`);
  }

  /** How far a long work is: on a terminal, over what it said before. An empty text ends it. */
  progress(text: string): void {
    if (this.options.stderr.isTTY !== true || this.json) return;
    this.options.stderr.write(`\r${text}${clearLine}`);
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

/** Terminals that do not know their height say 0. The cursor stands below the last line. */
function fitting(lines: readonly string[], rows = 0): readonly string[] {
  const room = Math.max(rows - 1, 2);
  if (rows === 0 || lines.length <= room) return lines;
  return [...lines.slice(0, room - 2), '…', ...lines.slice(-1)];
}
