import type { Outcome } from '../../rush/outcome.js';
import { newPassage } from '../../rush/passage.js';
import { type Reply, readReply } from '../../rush/reply.js';
import { Checkout } from './checkout.js';
import type { DayClock } from './day-clock.js';
import { type Patient, STORE } from './day-plan.js';
import { type Edge, insist, type Said, type Wish } from './edge.js';
import type { Offers } from './offers.js';
import type { Capture } from './unaccounted-payments.js';

/** What somebody did and was told, from arrival to the end of the day. */
export interface PatientStory {
  outcome: Outcome;
  /** The last answer to the first press. */
  firstAnswer: Outcome['answer'];
  /** Every id of a place in the waitlist that an answer named; more than one breaks a law. */
  entryIds: string[];
  captures: Capture[];
  /** What was asked for besides an order, and how it was answered: `CANCEL 200`. */
  changes: string[];
  /** Waited until after the end of the day, and nobody said how it ended. */
  neverTold: boolean;
}

export interface Surroundings {
  edge: Edge;
  offers: Offers;
  clock: DayClock;
  /** When whoever still waits goes home: later than the last word should come. */
  endsAt: number;
}

/** One person's day: wants a slot, waits for it, pays for it in one way or another, and does something else about it. */
export class PatientLife {
  readonly #story: PatientStory;

  constructor(
    readonly patient: Patient,
    readonly around: Surroundings,
  ) {
    const { userId, skuId, attendees } = patient;
    const lines = attendees.map((attendeeId) => ({ skuId, quantity: 1, attendeeId }));
    this.#story = {
      outcome: {
        ...{
          userId,
          key: `key-${userId}`,
          lines,
          answer: 'ERROR',
          heldIds: [],
          pendingIds: [],
          latencyMs: 0,
          sends: 0,
        },
        ...{ setbacks: [], passage: newPassage() },
      },
      firstAnswer: 'ERROR',
      ...{ entryIds: [], captures: [], changes: [], neverTold: false },
    };
  }

  async run(): Promise<PatientStory> {
    const { patient, around } = this;
    await around.clock.until(patient.arrivesAt);
    const told = await this.#reserve();
    this.#story.firstAnswer = this.#story.outcome.answer;
    if (patient.pressesAgain) await this.#reserve();
    const orderId = told.kind === 'WAITLISTED' ? await this.#wait(told.entryId) : heldId(told);
    if (orderId !== undefined) await this.#attend(orderId);
    if (patient.pressesAgain) await this.#reserve();
    return this.#story;
  }

  async #attend(orderId: string): Promise<void> {
    const { patient, around } = this;
    this.#note(this.#story.outcome.heldIds, orderId);
    const pays = new Checkout(patient, orderId, { clock: around.clock, ask: (wish) => this.#ask(wish) });
    const isPaid = await pays.run();
    this.#story.captures.push(...pays.captures);
    if (isPaid) await this.#change(orderId);
  }

  /** The same key until it is decided; a promise as well, because it may end in a place of the waitlist. */
  async #reserve(): Promise<Reply> {
    const { outcome, entryIds } = this.#story;
    const askedAt = Date.now();
    const lines = outcome.lines.map(({ skuId, attendeeId }) => ({
      ...{ sku_id: skuId, quantity: 1 },
      ...(attendeeId !== outcome.userId && { attendee_id: attendeeId }),
    }));
    const wish: Wish = {
      ...{ method: 'POST', path: '/v1/orders', userId: outcome.userId, key: outcome.key },
      body: { store_id: STORE, lines },
    };
    const said = await this.#ask(wish, ({ answer }) => ['PENDING', 'QUEUED'].includes(readReply(answer).kind));
    const reply: Reply = said.answer.status === 0 ? { kind: 'AGAIN', why: said.answer.body } : readReply(said.answer);
    outcome.answer = reply.kind === 'AGAIN' ? 'ERROR' : reply.kind;
    outcome.latencyMs ||= Math.max(1, Date.now() - askedAt);
    outcome.setbacks.push(...said.setbacks);
    if (reply.kind === 'AGAIN' || reply.kind === 'ERROR') outcome.error = reply.why;
    if (reply.kind === 'HELD') this.#note(outcome.heldIds, reply.orderId);
    if (reply.kind === 'PENDING') this.#note(outcome.pendingIds, reply.orderId);
    if (reply.kind === 'WAITLISTED') this.#note(entryIds, reply.entryId);
    if (reply.kind === 'REFUSED' && !outcome.refusal) {
      outcome.refusal = reply.refusal;
      outcome.refusedAt = new Date();
    }
    return reply;
  }

  /** Until an offer comes, which it resolves with, or patience or the slot's time is over. */
  async #wait(entryId: string): Promise<string | undefined> {
    const { patient, around } = this;
    const { clock, offers } = around;
    const word = offers.word(entryId);
    if (patient.waitsFor !== undefined) {
      const early = await Promise.race([word, clock.until(clock.now() + patient.waitsFor)]);
      if (!early) await this.#giveUp(entryId);
    }
    const last = await Promise.race([word, clock.until(around.endsAt)]);
    this.#story.neverTold = last === undefined;
    return last?.state === 'OFFERED' ? last.orderId : undefined;
  }

  async #giveUp(entryId: string): Promise<void> {
    const { userId } = this.patient;
    const wish: Wish = { method: 'DELETE', path: `/v1/waitlist/${entryId}`, userId, key: `leave-${userId}` };
    this.#noteChange('LEAVE', await this.#ask(wish));
  }

  async #change(orderId: string): Promise<void> {
    const { patient, around } = this;
    const { afterwards, userId } = patient;
    if (afterwards.kind === 'KEEP') return;
    const at = around.clock.now() + afterwards.after;
    if (at > around.endsAt) return;
    await around.clock.until(at);
    const path = `/v1/orders/${orderId}`;
    const wish = { method: 'POST', userId, key: `${afterwards.kind}-${userId}` } as const;
    const reason = 'something came up';
    const one = { sku_id: patient.skuId, quantity: 1, attendee_id: patient.attendees[0] };
    const asked = {
      CANCEL: { path: `${path}:cancel`, body: { reason } },
      CANCEL_PART: { path: `${path}/cancel-lines`, body: { lines: [one], reason } },
      MOVE: { path: `${path}/move`, body: { to_sku_id: afterwards.kind === 'MOVE' ? afterwards.to : '' } },
    }[afterwards.kind];
    this.#noteChange(afterwards.kind, await this.#ask({ ...wish, ...asked }));
  }

  async #ask(wish: Wish, isOpen?: (said: Said) => boolean): Promise<Said> {
    this.#story.outcome.sends += 1;
    return insist(this.around.edge, wish, isOpen);
  }

  #noteChange(kind: string, { answer, body }: Said): void {
    this.#story.changes.push(`${kind} ${answer.status}${typeof body.reason === 'string' ? ` ${body.reason}` : ''}`);
  }

  #note(ids: string[], id: string): void {
    if (!ids.includes(id)) ids.push(id);
  }
}

function heldId(reply: Reply): string | undefined {
  return reply.kind === 'HELD' ? reply.orderId : undefined;
}
