import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { guardParent, type ReleaseGuard } from './parent-guard.js';
import { childrenOf, commandOf, isAlive } from './process-table.js';

/** What differs between Postgres, Redis and NATS. */
export interface ServerSpec {
  name: string;
  /** The server's own folder: its data, `server.log` and `server.pid`. */
  directory: string;
  /** Whether the folder outlives `stop` and the end of this process. */
  keep: boolean;
  /** Who runs it, when not the user of this process. */
  user?: { uid: number; gid: number };
  stopSignal: NodeJS.Signals;
  program: string;
  /** `directory` must be among them: it tells this server from others when a leftover is sought. */
  argumentsFor(port: number): string[];
  urlFor(port: number): string;
  /** Resolves true when this very server answers on the port; false or rejects until then. */
  answers(port: number, pid: number): Promise<boolean>;
}

const startTimeoutMs = 30_000;
const stopTimeoutMs = 20_000;

class PortTaken extends Error {}

/**
 * Starts the server on `port`, or on a free one, and resolves when it answers. A server that a dead parent
 * left in the same folder is stopped first; one whose parent lives is an error.
 */
export async function launch(spec: ServerSpec, port?: number): Promise<PrivateServer> {
  mkdirSync(spec.directory, { recursive: true });
  await stopLeftover(spec);
  for (let attempt = 1; ; attempt++) {
    const server = new PrivateServer(spec, port ?? (await freePort()));
    try {
      await server.start();
      return server;
    } catch (error) {
      if (!(error instanceof PortTaken) || port !== undefined || attempt === 5) throw error;
    }
  }
}

/** A server of our own: started by this process and gone with it. */
export class PrivateServer {
  readonly #spec: ServerSpec;
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #releaseGuard: ReleaseGuard = () => {};
  #starting: Promise<void> | undefined;
  #wanted = false;
  #hearDeath: (cause: string) => void = () => {};

  constructor(
    spec: ServerSpec,
    readonly port: number,
  ) {
    this.#spec = spec;
  }

  get url(): string {
    return this.#spec.urlFor(this.port);
  }

  get directory(): string {
    return this.#spec.directory;
  }

  get logFile(): string {
    return join(this.#spec.directory, 'server.log');
  }

  get running(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The id of the main process, another one after each restart; 0 when it never ran. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Whether it shall run: from `start` until somebody asks for its end. */
  get wanted(): boolean {
    return this.#wanted;
  }

  /** Hears the signal or exit code of every end that nobody asked for. One within `start` is not told: that rejects. */
  onDeath(hear: (cause: string) => void): void {
    this.#hearDeath = hear;
  }

  /** Starts it where it is down; resolves when it answers. */
  async start(): Promise<void> {
    this.#wanted = true;
    if (this.running && this.#starting === undefined) return;
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  /** Shuts it down cleanly and waits; removes its folder unless that is kept. */
  async stop(): Promise<void> {
    await this.#shutDown();
    if (!this.#spec.keep) rmSync(this.#spec.directory, { recursive: true, force: true });
  }

  /** SIGKILL to the server and its children at once, as if the power went; the data stays for `restart`. */
  async kill(): Promise<void> {
    this.#wanted = false;
    await this.#killAll();
    await this.#startGivenUp();
  }

  /** Shuts it down if it runs, and starts it again on the same port with the same data. */
  async restart(): Promise<void> {
    await this.#shutDown();
    await this.start();
  }

  /** SIGSTOP: connections stay open and nothing answers, until `thaw`. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async #begin(): Promise<void> {
    const log = openSync(this.logFile, 'a');
    const loggedBefore = fstatSync(log).size;
    this.#spawn(log);
    closeSync(log);
    const problem = await this.#waitUntilItAnswers();
    if (problem === undefined) return;
    await this.#killAll();
    const logged = readFileSync(this.logFile).subarray(loggedBefore).toString().trim();
    const tail = logged.split('\n').slice(-15).join('\n');
    const message = `${this.#spec.name} ${problem} (${this.logFile})\n${tail}`;
    throw /address already in use/i.test(tail) ? new PortTaken(message) : new Error(message);
  }

  #spawn(log: number): void {
    const child = spawn(this.#spec.program, this.#spec.argumentsFor(this.port), {
      ...this.#spec.user,
      cwd: this.#spec.directory,
      detached: true, // Ctrl-C in the terminal is for us: we stop what we started, in our order.
      stdio: ['ignore', log, log],
    });
    child.unref();
    this.#child = child;
    this.#gone = new Promise((resolve) => {
      child.once('error', () => resolve()); // It could not be started, and has no id.
      child.once('exit', (code, signal) => {
        this.#releaseGuard(); // Soon the id may be another process's.
        resolve();
        if (this.#wanted && this.#starting === undefined) this.#hearDeath(signal ?? `exit code ${code}`);
      });
    });
    if (child.pid !== undefined) this.#watch(child.pid);
  }

  #watch(pid: number): void {
    this.#releaseGuard = guardParent(
      pid,
      this.#spec.keep ? this.#spec.stopSignal : 'SIGKILL',
      this.#spec.keep ? undefined : this.#spec.directory,
    );
    writeFileSync(pidFile(this.#spec), JSON.stringify({ pid, parent: process.pid }));
  }

  async #waitUntilItAnswers(): Promise<string | undefined> {
    const deadline = Date.now() + startTimeoutMs;
    while (Date.now() < deadline) {
      if (!this.running) return 'ended while it started';
      const ready = await this.#spec.answers(this.port, this.pid).catch(() => false);
      if (ready && this.running) return undefined;
      await pause(20);
    }
    return `does not answer on port ${this.port} after ${startTimeoutMs / 1000} s`;
  }

  async #shutDown(): Promise<void> {
    this.#wanted = false;
    if (this.running) {
      this.thaw();
      process.kill(this.pid, this.#spec.stopSignal);
    }
    await this.#ended();
    await this.#startGivenUp();
  }

  async #killAll(): Promise<void> {
    const signalled = this.#signal('SIGKILL');
    await this.#ended();
    while (signalled.some(isAlive)) await pause(5);
  }

  // Whoever started it hears that it failed; until then the log is still read.
  async #startGivenUp(): Promise<void> {
    await this.#starting?.catch(() => {});
  }

  async #ended(): Promise<void> {
    this.#child?.ref(); // While we wait for its end, it keeps this process alive.
    const timer = setTimeout(() => this.running && this.#signal('SIGKILL'), stopTimeoutMs);
    await this.#gone;
    clearTimeout(timer);
    rmSync(pidFile(this.#spec), { force: true });
  }

  // Stopped first, so that no child is born, or replaced, between the look and the signal.
  #signal(signal: NodeJS.Signals): number[] {
    if (!this.running) return [];
    sendSignal(this.pid, 'SIGSTOP');
    const all = [this.pid, ...childrenOf(this.pid)];
    for (const pid of all) sendSignal(pid, signal);
    return all;
  }
}

async function stopLeftover(spec: ServerSpec): Promise<void> {
  const leftover = readPidFile(spec);
  if (leftover === undefined) return;
  const isOurs = (): boolean => commandOf(leftover.pid).includes(spec.directory);
  if (isOurs() && isAlive(leftover.parent) && commandOf(leftover.parent).includes('node')) {
    throw new Error(`${spec.name} in ${spec.directory} belongs to process ${leftover.parent}, which still runs`);
  }
  for (let waited = 0; isOurs(); waited += 50) {
    if (waited % 1000 === 0) sendSignal(leftover.pid, waited < stopTimeoutMs ? spec.stopSignal : 'SIGKILL');
    if (waited > stopTimeoutMs * 2) throw new Error(`${spec.name}, process ${leftover.pid}, does not end`);
    await pause(50);
  }
  rmSync(pidFile(spec), { force: true });
}

function readPidFile(spec: ServerSpec): { pid: number; parent: number } | undefined {
  try {
    return JSON.parse(readFileSync(pidFile(spec), 'utf8')) as { pid: number; parent: number };
  } catch {
    return undefined; // None, or one that a crash cut short.
  }
}

function pidFile(spec: ServerSpec): string {
  return join(spec.directory, 'server.pid');
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
