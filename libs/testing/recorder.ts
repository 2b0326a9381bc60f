import { appendFileSync } from 'node:fs';

/** One line of the report that a test file writes for the runner. */
export type TestEvent =
  | { kind: 'registered' | 'restricted' | 'started' | 'passed' | 'failed' | 'skipped'; test: string }
  | { kind: 'hookFailed'; message: string };

class Recorder {
  readonly #report = process.env.HOLDFAST_TEST_REPORT;
  readonly #notes = new Set<string>();
  #failures = 0;

  registered(test: string): void {
    this.#write({ kind: 'registered', test });
  }

  restricted(test: string): void {
    this.#write({ kind: 'restricted', test });
  }

  skipped(test: string): void {
    this.#write({ kind: 'skipped', test });
  }

  started(test: string): void {
    this.#write({ kind: 'started', test });
  }

  ended(test: string, passed: boolean): void {
    if (!passed) this.#failures++;
    this.#write({ kind: passed ? 'passed' : 'failed', test });
  }

  hookFailed(error: Error): void {
    this.#failures++;
    console.error(error.stack);
    this.#write({ kind: 'hookFailed', message: error.message });
  }

  /** Printed at the end if anything failed: what one needs to see the failure again. */
  note(line: string): void {
    this.#notes.add(line);
  }

  get failed(): boolean {
    return this.#failures > 0;
  }

  /** uvu sets the exit code itself, and knows nothing of a failed last hook. */
  finish(): void {
    if (!this.failed) return;
    for (const line of this.#notes) console.error(line);
    process.exitCode = 1;
  }

  // At once and in step: what was written counts even when the process is killed a moment later.
  #write(event: TestEvent): void {
    if (this.#report !== undefined) appendFileSync(this.#report, `${JSON.stringify(event)}\n`);
  }
}

/** What became of the tests of this process. */
export const recorder = new Recorder();
process.on('exit', () => recorder.finish());
