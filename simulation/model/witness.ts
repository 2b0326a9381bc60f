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

/** What a person was told, and when, in the world's count. */
interface Heard {
  readonly firstCount: number;
  noAt: { count: number; losses: number } | undefined;
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

  told(tried: Try, outcome: Outcome): void {
    const heard = this.#heard.get(tried.person);
    if (!heard) return;
    const row = this.ledger.rowOf(tried.person.orderId);
    if (outcome.kind === 'HELD') this.#toldYes(tried, heard, row);
    else if (outcome.kind === 'REFUSED' && !outcome.refusal.opensAt) this.#toldNo(tried, heard, row);
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

  #toldNo({ person, lines, isReplay }: Try, heard: Heard, row: Row | undefined): void {
    const { name } = person;
    const isTaken = row && row.order.state !== 'REFUSED';
    // The mark of an earlier no hears of a yes that was given past it a moment later.
    if (isTaken && !(heard.isAnew && isReplay)) throw new Violation('L6', `${name} was told no and has an order`);
    // Of two orders under one request id, sent at once, one may hear the other's no.
    if (!row && !this.#wasShort(lines, heard)) throw new Violation('L6', `${name} was told a no that was never true`);
    const { count, losses } = this.now();
    heard.noAt ??= { count, losses };
  }

  #born(row: Row): void {
    const person = [...this.#heard.keys()].find(({ userId }) => userId === row.order.userId);
    const heard = person && this.#heard.get(person);
    if (!person || !heard) throw new Violation('L4', 'an order of somebody who never asked');
    if (person.orderId !== row.order.orderId) throw new Violation('L4', `${person.name} has an order under another id`);
    const { by } = row;
    if (row.order.state === 'REFUSED') {
      if (!this.#wasShort(row.order.lines, heard))
        throw new Violation('L6', `${person.name} was refused for no reason`);
      return;
    }
    if (!heard.noAt) return;
    // What came after the no may be another first try, if Redis lost the mark or was away.
    if (by.count < heard.noAt.count) throw new Violation('L6', `${person.name} was told no and born by an older try`);
    if (by.isMarked && this.now().losses === heard.noAt.losses)
      throw new Violation('L6', `${person.name} was told no and born by a try that found the mark`);
    heard.isAnew = true;
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
