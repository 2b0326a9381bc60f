import { setTimeout as sleep } from 'node:timers/promises';
import type { Door } from './door.js';
import type { Outcome } from './outcome.js';
import { newPassage, notePassed, noteQueued, noteSent } from './passage.js';
import type { Reply } from './reply.js';
import type { Person } from './scenario.js';

/** How long a person keeps sending the same key while answers are errors: from the press, or from the last that was none. */
const PERSISTENCE_MS = 60_000;
/** How long a person stands in line, or comes back when a limit says so: longer than any scenario's line is. */
const LINE_PATIENCE_MS = 900_000;
/** Who was told the same second comes back within it, not all at once. */
const LIMITED_SPREAD_MS = 250;
/** How long a promised order is followed; laws give it five seconds after the last fault. */
const FOLLOW_MS = 15_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 4_000;
/** A clock beside the ledger's may run a little ahead. */
const OPENING_MARGIN_MS = 5;

/**
 * One person, who behaves as a good client does. While nothing is decided (no connection, no answer in time, too busy,
 * not yet on sale) the same key is sent again, later each time; who has a place in line, or met a limit, comes back when
 * told to, however often. A promise is followed to its decision. After a true no
 * there is a new try, with a new key, when a hold is due to end and the person's patience lasts that long.
 */
export class Visit {
  readonly #outcomes: Outcome[] = [];

  constructor(
    readonly person: Person,
    readonly door: Door,
    readonly startsAt: number,
    readonly followMs = FOLLOW_MS,
  ) {}

  async run(): Promise<Outcome[]> {
    const { person, startsAt } = this;
    const arrivesAt = startsAt + person.arrivesAtMs;
    let dueAt: number | undefined = arrivesAt;
    while (dueAt !== undefined) {
      const { answer, refusal } = await this.#request(dueAt);
      const releaseAt = answer === 'REFUSED' ? refusal?.nextReleaseAt?.getTime() : undefined;
      const patientUntil = arrivesAt + person.patienceMs;
      dueAt = releaseAt === undefined ? undefined : Math.max(releaseAt, Date.now() + FIRST_BACKOFF_MS);
      if (dueAt !== undefined && dueAt > patientUntil) dueAt = undefined;
    }
    return this.#outcomes;
  }

  async #request(dueAt: number): Promise<Outcome> {
    const { key, repeats, userId, lines } = this.person;
    const tries = this.#outcomes.length;
    const outcome: Outcome = {
      userId,
      key: tries === 0 ? key : `${key}-${tries + 1}`,
      lines,
      answer: 'ERROR',
      heldIds: [],
      pendingIds: [],
      latencyMs: 0,
      sends: 0,
      setbacks: [],
      passage: newPassage(),
    };
    this.#outcomes.push(outcome);
    const meanwhile = repeats.filter((repeat) => repeat !== 'after');
    const first = this.#press(outcome, dueAt, dueAt);
    await Promise.all([first, ...meanwhile.map((afterMs) => this.#press(outcome, dueAt + afterMs, dueAt))]);
    for (const repeat of repeats) if (repeat === 'after') await this.#press(outcome, Date.now(), dueAt);
    return outcome;
  }

  /** One press of the button: the key is sent until something is decided. */
  async #press(outcome: Outcome, dueAt: number, firstDueAt: number): Promise<void> {
    await sleepUntil(dueAt);
    const heard = { sentAt: 0, failures: 0, giveUpAt: dueAt + PERSISTENCE_MS };
    const hear = (reply: Reply): void => {
      note(outcome, reply, heard.sentAt);
      if (!isToldToWait(reply)) return;
      heard.failures = 0;
      heard.giveUpAt = Math.min(Date.now() + PERSISTENCE_MS, dueAt + LINE_PATIENCE_MS);
    };
    const ear = {
      sent() {
        outcome.sends += 1;
        heard.sentAt = noteSent(outcome.passage);
      },
      waits(reply: Reply) {
        hear(reply);
        noteSetback(outcome, reply);
      },
    };
    for (;;) {
      const reply = await this.door.order(this.person, outcome.key, ear);
      hear(reply);
      const nextAt = this.#nextSendAt(reply, heard.failures);
      if (nextAt === undefined || nextAt > heard.giveUpAt) {
        record(outcome, reply, firstDueAt);
        if (reply.kind === 'PENDING') await this.#follow(outcome, reply.orderId, firstDueAt);
        return;
      }
      heard.failures += 1;
      noteSetback(outcome, reply);
      await sleepUntil(nextAt);
    }
  }

  /** When the same key is due again; undefined when the reply stands. */
  #nextSendAt(reply: Reply, failures: number): number | undefined {
    if (reply.kind === 'QUEUED') return Date.now() + reply.waitMs;
    if (reply.kind === 'AGAIN' && reply.limit !== undefined) {
      return Date.now() + Math.max(reply.waitMs ?? 0, FIRST_BACKOFF_MS) + Math.random() * LIMITED_SPREAD_MS;
    }
    if (reply.kind === 'AGAIN') {
      const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures) * (0.5 + Math.random());
      return Date.now() + Math.max(reply.waitMs ?? 0, backoffMs);
    }
    const opensAt = reply.kind === 'REFUSED' ? reply.refusal.opensAt?.getTime() : undefined;
    return opensAt === undefined ? undefined : Math.max(opensAt, Date.now()) + OPENING_MARGIN_MS;
  }

  async #follow(outcome: Outcome, orderId: string, firstDueAt: number): Promise<void> {
    const reply = await this.door.follow(orderId, this.followMs);
    if (reply !== undefined) record(outcome, reply, firstDueAt);
  }
}

/** Whether the server knows the person and said when to come back. */
function isToldToWait(reply: Reply): boolean {
  return reply.kind === 'QUEUED' || (reply.kind === 'AGAIN' && reply.limit !== undefined);
}

function note({ passage }: Outcome, reply: Reply, sentAt: number): void {
  if (reply.kind === 'QUEUED') noteQueued(passage, reply.peopleAhead);
  else if (reply.kind === 'AGAIN' && reply.limit !== undefined) passage.limits.push(reply.limit);
  else if (reply.kind === 'HELD' || reply.kind === 'PENDING') notePassed(passage, sentAt);
  else if (reply.kind === 'REFUSED' && reply.refusal.opensAt === undefined) notePassed(passage, sentAt);
}

function noteSetback(outcome: Outcome, reply: Reply): void {
  if (reply.kind === 'AGAIN') outcome.setbacks.push(reply.why);
}

function record(outcome: Outcome, reply: Reply, firstDueAt: number): void {
  outcome.answer = reply.kind === 'AGAIN' ? 'ERROR' : reply.kind;
  delete outcome.error;
  if (reply.kind === 'AGAIN' || reply.kind === 'ERROR') {
    outcome.error = reply.why;
    return;
  }
  if (reply.kind === 'QUEUED') return;
  if (outcome.latencyMs === 0) outcome.latencyMs = Math.max(1, Date.now() - firstDueAt);
  if (reply.kind === 'HELD') addOnce(outcome.heldIds, reply.orderId);
  if (reply.kind === 'PENDING') addOnce(outcome.pendingIds, reply.orderId);
  if (reply.kind === 'REFUSED' && !outcome.refusal) {
    outcome.refusal = reply.refusal;
    outcome.refusedAt = new Date();
  }
}

function addOnce(ids: string[], id: string): void {
  if (!ids.includes(id)) ids.push(id);
}

/** Where many wait for one instant the timers of all of them fire in the same turn of the loop. */
async function sleepUntil(atMs: number): Promise<void> {
  const waitMs = atMs - Date.now();
  if (waitMs > 0) await sleep(waitMs);
}
