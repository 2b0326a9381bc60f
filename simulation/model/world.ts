import { Answer, type Call, type Flow, noReply, type Part, wait } from './flow.js';

/** What becomes of a call: LATE is carried out some time later, and its caller hears nothing of it. */
export type Fate = 'DONE' | 'REPLY_LOST' | 'NOT_SENT' | 'LATE';

/** A process of ours. Crashed, it is there again at once, without its memory. */
export class Process {
  /** Rises with each crash: what an earlier life did is nobody's any more. */
  life = 0;
  /** It stands still: nothing of it moves, its timers neither. */
  isStalled = false;
  /** Parts that it cannot reach. */
  readonly cutFrom = new Set<Part>();

  constructor(
    readonly name: string,
    /** How far its idea of the ledger's time is off. */
    readonly clockOffMs: number,
  ) {}
}

interface Task {
  readonly process: Process;
  readonly life: number;
  readonly name: string;
  readonly flow: Flow;
  call: Call;
}

interface Timer {
  readonly atMs: number;
  readonly process: Process;
  readonly life: number;
  readonly fire: () => void;
}

/** Time passes in steps of at most so much, so that what is done all the time is done meanwhile. */
const SLICE_MS = 200;
const START_MS = 100_000;

/** Time, processes and what they are about to do. One step of one process is the smallest thing that happens. */
export class World {
  nowMs = START_MS;
  /** Counts what happens: of two instants in the same millisecond the one with the lower count was first. */
  count = 0;
  /** What can move now. */
  tasks: Task[] = [];
  /** Calls on their way that nobody waits for any more. */
  late: (() => void)[] = [];
  #timers: Timer[] = [];

  constructor(
    /** Hears in words what happens. */
    readonly note: ((text: string) => void) | undefined,
    /** Called for each slice of time that has passed. */
    private readonly whileTimePasses: () => void,
    /** Called after every step of a process. */
    private readonly afterStep: () => void,
  ) {}

  spawn(process: Process, name: string, flow: Flow): void {
    this.#resume({ process, life: process.life, name, flow, call: { part: 'OWN' } }, false, undefined);
  }

  timer(process: Process, atMs: number, fire: () => void): void {
    this.#timers.push({ atMs, process, life: process.life, fire });
  }

  /** Stops a flow of a process for a while. */
  *pause(process: Process, ms: number): Flow {
    const over = new Answer<void>('OWN');
    this.timer(process, this.nowMs + ms, () => over.say());
    yield* wait(over);
  }

  /** Moves one task by one call. Nothing happens while its process stands still. */
  move(index: number, fate: Fate): void {
    this.#move(index, fate);
    this.afterStep();
  }

  /** Moves the newest task without a fault until it waits or has ended, or until it has had so many steps. */
  run(index: number, steps: number): void {
    const task = this.tasks[index];
    for (let step = 0; step < steps && task; step += 1) {
      const at = this.tasks.indexOf(task);
      if (at < 0) return;
      this.move(at, 'DONE');
    }
  }

  /** Carries out a call that was late. */
  arrive(index: number): void {
    const [call] = this.late.splice(index, 1);
    if (!call) return;
    this.count += 1;
    this.note?.('a late call arrives');
    try {
      call();
    } catch (error) {
      if (error !== noReply) throw error;
    }
    this.afterStep();
  }

  crash(process: Process): void {
    process.life += 1;
    process.isStalled = false;
    this.tasks = this.tasks.filter((task) => task.process !== process);
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= SLICE_MS) {
      this.nowMs += Math.min(left, SLICE_MS);
      this.whileTimePasses();
      this.#fireTimers();
    }
  }

  #move(index: number, fate: Fate): void {
    const task = this.tasks[index];
    if (!task || task.process.isStalled) return;
    const last = this.tasks.pop() as Task;
    if (last !== task) this.tasks[index] = last;
    this.count += 1;
    const { part, run } = task.call;
    const isCut = task.process.cutFrom.has(part);
    const meets = part === 'OWN' ? 'DONE' : isCut ? 'NOT_SENT' : fate;
    if (meets !== 'DONE') this.note?.(`${task.process.name}, ${task.name}: ${part} ${inWords[meets]}`);
    if (meets === 'LATE' && run) this.late.push(run);
    if (meets === 'LATE' || meets === 'NOT_SENT') {
      this.#resume(task, true, undefined);
      return;
    }
    let reply: unknown;
    let isLost = meets === 'REPLY_LOST';
    try {
      reply = run?.();
    } catch (error) {
      if (error !== noReply) throw error;
      isLost = true;
    }
    this.#resume(task, isLost, reply);
  }

  #fireTimers(): void {
    const due = (timer: Timer): boolean => timer.atMs <= this.nowMs && !timer.process.isStalled;
    if (!this.#timers.some(due)) return;
    const fired = this.#timers.filter(due);
    this.#timers = this.#timers.filter((timer) => !due(timer));
    for (const { process, life, fire } of fired) if (life === process.life) fire();
  }

  #resume(task: Task, isLost: boolean, reply: unknown): void {
    const { done, value: call } = isLost ? task.flow.throw(noReply) : task.flow.next(reply);
    if (done || !call) return;
    const { answer } = call;
    if (!answer) {
      task.call = call;
      this.tasks.push(task);
      return;
    }
    task.call = { part: answer.part, run: () => answer.read() };
    answer.whenSaid(() => {
      if (task.life === task.process.life) this.tasks.push(task);
    });
  }
}

const inWords: Readonly<Record<Exclude<Fate, 'DONE'>, string>> = {
  REPLY_LOST: 'does it, the reply is lost',
  NOT_SENT: 'is not reached',
  LATE: 'gets no reply; the call is still on its way',
};
