import type { Refusal } from '#libs/refusal/refusal.js';
import type { Outcome } from '../../services/inventory/src/app/placement.js';
import { audit } from './audit.js';
import type { Person, Try } from './claims.js';
import type { Ledger, Row } from './ledger.js';

/** A law that was broken. */
export class Violation extends Error {
  constructor(
    readonly law: string,
    what: string,
  ) {
    super(`${law}: ${what}`);
  }
}

/** Since when a no stands, in the world's count, and how often Redis had lost something by then. */
interface Standing {
  /** When the ledger was read for it, if it has no row. */
  readonly readCount: number;
  /** When it was stored under its mark: from then on it is what every other try is told. Else when it was told. */
  readonly count: number;
  readonly losses: number;
}

/** What a person was told, and when, in the world's count. */
interface Heard {
  readonly firstCount: number;
  /** Of the latest one that they were told. */
  noAt: Standing | undefined;
  yesAt: number | undefined;
  isPromised: boolean;
  /** Their request id is used for other lines. */
  isReused: boolean;
  /** It was told no, lost its mark, and was born by a later try: what L6 allows. */
  isAnew: boolean;
}

/** How a sku was from a count on. */
interface Page {
  readonly count: number;
  readonly free: number;
  readonly isPaused: boolean;
}

/** Sees everything that anybody is told and everything that the ledger does, and knows none of the rules. */
export class Witness {
  readonly #heard = new Map<Person, Heard>();
  readonly #history = new Map<string, Page[]>();
  readonly #read = new WeakMap<Refusal, number>();
  readonly #kept = new WeakMap<Refusal, Standing>();
  #revision = -1;
  #rows = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly now: () => { count: number; losses: number },
  ) {}

  asked(tried: Try): void {
    if (this.#heard.has(tried.person)) return;
    const fresh = { noAt: undefined, yesAt: undefined, isPromised: false, isReused: false, isAnew: false };
    this.#heard.set(tried.person, { firstCount: tried.count, ...fresh });
  }

  /** Whether the person has an answer that stays. */
  isAnswered(person: Person): boolean {
    const heard = this.#heard.get(person);
    return !heard || heard.noAt !== undefined || heard.yesAt !== undefined || heard.isReused;
  }

  hasYes(person: Person): boolean {
    return this.#heard.get(person)?.yesAt !== undefined;
  }

  /** A no was read that shall have no row. */
  read(no: Refusal): void {
    this.#read.set(no, this.now().count);
  }

  /** A no that may have no row is stored. */
  kept(outcome: Outcome): void {
    if (outcome.kind === 'REFUSED' && !this.#kept.has(outcome.refusal))
      this.#kept.set(outcome.refusal, this.#standingOf(outcome.refusal));
  }

  told(tried: Try, outcome: Outcome): void {
    const heard = this.#heard.get(tried.person);
    if (!heard) return;
    const row = this.ledger.rowOf(tried.person.orderId);
    if (outcome.kind === 'HELD') this.#toldYes(tried, heard, row);
    else if (outcome.kind === 'REFUSED' && !outcome.refusal.opensAt) this.#toldNo(tried, heard, row, outcome.refusal);
    else if (outcome.kind === 'PENDING') heard.isPromised = true;
    else if (outcome.kind === 'FAULT' && outcome.fault.reason === 'REQUEST_ID_REUSED') heard.isReused = true;
  }

  /** After every step. */
  look(): void {
    if (this.ledger.revision === this.#revision) return;
    this.#revision = this.ledger.revision;
    const broken = audit(this.ledger);
    if (broken) throw new Violation(...broken);
    for (; this.#rows < this.ledger.rows.length; this.#rows += 1) this.#born(this.ledger.rows[this.#rows] as Row);
    this.#write();
  }

  /** When everything has healed and nothing moves any more. */
  atRest(captured: readonly { paymentId: string; orderId: string }[]): void {
    for (const [{ name, orderId }, { isPromised }] of this.#heard)
      if (isPromised && !this.ledger.rowOf(orderId))
        throw new Violation('L5', `${name} was told PENDING and never decided`);
    for (const { paymentId, orderId } of captured) {
      const recorded = this.ledger.payments.filter((payment) => payment.paymentId === paymentId);
      const state = this.ledger.rowOf(orderId)?.order.state;
      if (recorded.length !== 1)
        throw new Violation('L8', `payment ${paymentId} is recorded ${recorded.length} times, the order is ${state}`);
    }
  }

  #toldYes({ person, lines }: Try, heard: Heard, row: Row | undefined): void {
    const { name } = person;
    if (!row || row.order.state === 'REFUSED')
      throw new Violation('L5', `${name} was told a yes that is not committed`);
    if (textOf(row.order.lines) !== textOf(lines)) throw new Violation('L4', `${name} was told a yes to other lines`);
    if (heard.noAt && !heard.isAnew) throw new Violation('L6', `${name} was told a yes after a no`);
    heard.yesAt = this.now().count;
  }

  #toldNo({ person, lines }: Try, heard: Heard, row: Row | undefined, no: Refusal): void {
    const { name } = person;
    const noAt = this.#standingOf(no);
    if (row && row.order.state !== 'REFUSED') {
      // It may reach them late, past a yes to a later try.
      if (!this.#kept.has(no)) throw new Violation('L6', `${name} was told no and has an order`);
      this.#mustBeLater(row, noAt, name);
      heard.isAnew = true;
    }
    // Of two orders under one request id, sent at once, one may hear the other's no.
    if (!row && !this.#wasShort(lines, heard)) throw new Violation('L6', `${name} was told a no that was never true`);
    if (!heard.noAt || heard.noAt.count < noAt.count) heard.noAt = noAt;
  }

  #standingOf(no: Refusal): Standing {
    const { count, losses } = this.now();
    return this.#kept.get(no) ?? { readCount: this.#read.get(no) ?? count, count, losses };
  }

  #born(row: Row): void {
    const person = [...this.#heard.keys()].find(({ userId }) => userId === row.order.userId);
    const heard = person && this.#heard.get(person);
    if (!person || !heard) throw new Violation('L4', 'an order of somebody who never asked');
    if (person.orderId !== row.order.orderId) throw new Violation('L4', `${person.name} has an order under another id`);
    if (row.order.state === 'REFUSED') {
      if (!this.#wasShort(row.order.lines, heard))
        throw new Violation('L6', `${person.name} was refused for no reason`);
      return;
    }
    if (!heard.noAt) return;
    this.#mustBeLater(row, heard.noAt, person.name);
    heard.isAnew = true;
  }

  /** What came after a no may be another first try, if Redis lost the mark or was away. */
  #mustBeLater({ by }: Row, noAt: Standing, name: string): void {
    // Of a gateway that nobody knows of, the ledger knows alone: what it had not been told when it was read came later.
    if (by.count < (by.isForgotten ? noAt.readCount : noAt.count))
      throw new Violation('L6', `${name} was told no and born by an older try`);
    if (by.isMarked && this.now().losses === noAt.losses)
      throw new Violation('L6', `${name} was told no and born by a try that found the mark`);
  }

  /** Whether, at some instant since the person came, the ledger had too few for these lines, or did not sell. */
  #wasShort(lines: Try['lines'], { firstCount }: Heard): boolean {
    return lines.some(({ skuId, quantity: wanted }) => {
      const pages = this.#history.get(skuId) ?? [];
      return pages.some(
        ({ free, isPaused }, i) =>
          (free < wanted || isPaused) && (pages[i + 1]?.count ?? Number.POSITIVE_INFINITY) >= firstCount,
      );
    });
  }

  #write(): void {
    const { count } = this.now();
    for (const { skuId, free, paused: isPaused } of this.ledger.skus.values()) {
      const pages = this.#history.get(skuId);
      const last = pages?.at(-1);
      if (!pages) this.#history.set(skuId, [{ count: 0, free, isPaused }]);
      else if (last?.free !== free || last.isPaused !== isPaused) pages.push({ count, free, isPaused });
    }
  }
}

function textOf(lines: Try['lines']): string {
  return lines.map(({ skuId, quantity }) => `${skuId}x${quantity}`).join();
}
