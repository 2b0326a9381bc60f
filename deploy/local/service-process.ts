import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFlags } from '#libs/runtime/node-flags.js';
import { RestartPauses } from './restart-pauses.js';
import type { ProcessPlan } from './topology.js';

const LEASH = new URL('./leash.js', import.meta.url).href;
const READY_EVERY_MS = 25;
const PROBE_TIMEOUT_MS = 1_000;
/** A service that died so often before it was ever ready has a reason that stays. */
const HOPELESS_DEATHS = 3;
/** A service closes within ten seconds; then it is ended by force. */
const STOP_TIMEOUT_MS = 12_000;

export interface ProcessHooks {
  /** Every line that the process writes. */
  onLine(name: string, line: string): void;
  /** What happens to the process, in words. */
  report(line: string): void;
  /** It died, was started again, and is ready. */
  onBack(): void;
}

/** One service process, started again on the same addresses whenever it dies, each time a little later. */
export class ServiceProcess {
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #stopping = false;
  readonly #pauses = new RestartPauses();
  #wasReady = false;
  readonly #lastLines: string[] = [];

  constructor(
    readonly plan: ProcessPlan,
    readonly hooks: ProcessHooks,
  ) {}

  /** 0 while it is down. */
  get pid(): number {
    return this.running ? (this.#child?.pid ?? 0) : 0;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it and keeps it alive until `stop`. */
  start(): void {
    const { plan } = this;
    this.#pauses.started();
    const child = spawn(process.execPath, [...nodeFlags, '--import', LEASH, plan.program], {
      env: { ...process.env, ...plan.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C in a terminal goes to the whole group of processes: the order of the end is ours to choose.
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    }
    this.#gone = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#hear(error.message);
        resolve();
      });
      child.once('close', (code, signal) => {
        resolve();
        if (!this.#stopping) void this.#comeBack(signal ?? `exit code ${code}`);
      });
    });
  }

  /**
   * Resolves when /readyz says yes; rejects with its last words when it does not within the time, or when it has died
   * again and again without ever being ready.
   */
  async ready(timeoutMs: number): Promise<void> {
    const startedAt = Date.now();
    const hopeless = (): boolean => !this.#wasReady && this.#pauses.deaths >= HOPELESS_DEATHS;
    while (Date.now() - startedAt < timeoutMs && !this.#stopping && !hopeless()) {
      if (this.running && (await this.#isReady())) return;
      await sleep(READY_EVERY_MS);
    }
    const words = this.#lastLines.join('\n') || '(it wrote nothing)';
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    throw new Error(`${this.plan.name} is not ready after ${seconds} s; it last said:\n${words}`);
  }

  /** Sends a signal to it as it is now; the one that follows it is another process. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    if (!this.running) return;
    this.#child?.kill(signal);
    await this.#gone;
  }

  /** Ends it for good: politely, then by force. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (!this.running) return;
    this.#child?.kill('SIGTERM');
    const force = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#gone;
    clearTimeout(force);
  }

  async #comeBack(cause: string): Promise<void> {
    const delayMs = this.#pauses.afterDeath();
    this.hooks.report(`${this.plan.name} died (${cause}); starting it again in ${delayMs} ms`);
    await sleep(delayMs);
    if (this.#stopping) return;
    this.start();
    const child = this.#child;
    while (this.#child === child && this.running && !this.#stopping) {
      if (await this.#isReady()) {
        this.hooks.onBack();
        return;
      }
      await sleep(READY_EVERY_MS);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const { ok } = await fetch(`http://${this.plan.admin}/readyz`, { signal });
      this.#wasReady ||= ok;
      return ok;
    } catch {
      return false;
    }
  }

  #hear(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > 12) this.#lastLines.shift();
    this.hooks.onLine(this.plan.name, line);
  }
}
