import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpAsk } from './http-connection.js';
import type { HttpPool } from './http-pool.js';
import type { Outcome } from './outcome.js';
import { newPassage, notePassed, noteQueued, noteSent } from './passage.js';
import { type Reply, readReply } from './reply.js';
import type { Person } from './scenario.js';

/** How long one attempt may take before its outcome counts as unknown: longer than the HTTP edge waits itself. */
const ANSWER_TIMEOUT_MS = 30_000;
/** How long a person keeps sending the same key while answers are errors: from the press, or from the last that was none. */
const PERSISTENCE_MS = 60_000;
/** How long a person stands in line, or comes back when a limit says so: longer than any scenario's line is. */
const LINE_PATIENCE_MS = 900_000;
/** Who was told the same second comes back within it, not all at once. */
const LIMITED_SPREAD_MS = 250;
/** How long a promised order is followed; laws give it five seconds after the last fault. */
const FOLLOW_MS = 15_000;
const FOLLOW_EVERY_MS = 100;
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
    readonly pool: HttpPool,
    readonly startsAt: number,
    /** The token of the person. */
    readonly token: string,
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
    let giveUpAt = dueAt + PERSISTENCE_MS;
    for (let failures = 0; ; failures += 1) {
      const sentAt = noteSent(outcome.passage);
      const reply = await this.#send(outcome);
      note(outcome, reply, sentAt);
      if (isToldToWait(reply)) {
        failures = 0;
        giveUpAt = Math.min(Date.now() + PERSISTENCE_MS, dueAt + LINE_PATIENCE_MS);
      }
      const nextAt = this.#nextSendAt(reply, failures);
      if (nextAt === undefined || nextAt > giveUpAt) {
        record(outcome, reply, firstDueAt);
        if (reply.kind === 'PENDING') await this.#follow(outcome, reply.orderId, firstDueAt);
        return;
      }
      if (reply.kind === 'AGAIN') outcome.setbacks.push(reply.why);
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

  #send(outcome: Outcome): Promise<Reply> {
    outcome.sends += 1;
    const lines = this.person.lines.map(({ skuId, quantity, attendeeId }) => ({
      sku_id: skuId,
      quantity,
      ...(attendeeId === undefined ? {} : { attendee_id: attendeeId }),
    }));
    const headers = { 'idempotency-key': outcome.key, authorization: `Bearer ${this.token}` };
    const body = JSON.stringify({ store_id: this.person.storeId, lines });
    return this.#ask({ method: 'POST', path: '/v1/orders', headers, body });
  }

  async #follow(outcome: Outcome, orderId: string, firstDueAt: number): Promise<void> {
    const giveUpAt = Date.now() + this.followMs;
    const path = `/v1/orders/${orderId}`;
    while (Date.now() < giveUpAt) {
      await sleep(FOLLOW_EVERY_MS);
      const reply = await this.#ask({ method: 'GET', path, headers: { authorization: `Bearer ${this.token}` } });
      if (reply.kind === 'HELD' || reply.kind === 'REFUSED') return record(outcome, reply, firstDueAt);
    }
  }

  async #ask(ask: Omit<HttpAsk, 'timeoutMs'>): Promise<Reply> {
    try {
      return readReply(await this.pool.ask({ ...ask, timeoutMs: ANSWER_TIMEOUT_MS }));
    } catch (error) {
      return { kind: 'AGAIN', why: error instanceof Error ? error.message : String(error) };
    }
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
