import { setTimeout as pause } from 'node:timers/promises';
import type { DayClock } from './day-clock.js';
import type { Patient } from './day-plan.js';
import type { Said, Wish } from './edge.js';
import type { Capture } from './unaccounted-payments.js';

/** How late the provider tells of money, in minutes. */
const TOLD_LATE = 4;
/** Until the provider's word of the wrong amount has ended its session. */
const ANEW = { everyMs: 100, tries: 50 };

/** What the button of the provider's page may be asked for. */
interface Press {
  amount_minor?: number;
  even_if_ended?: boolean;
  notice?: { delay_ms?: number; times?: number; failed_before?: boolean };
}

interface Till {
  clock: DayClock;
  ask(wish: Wish): Promise<Said>;
}

/** Opens the provider's page for a hold as soon as there is one, and presses its button when the time comes. */
export class Checkout {
  /** Money that the provider took. */
  readonly captures: Capture[] = [];
  #tries = 0;

  constructor(
    readonly patient: Patient,
    readonly orderId: string,
    readonly till: Till,
  ) {}

  /** Whether money of the right amount was taken. */
  async run(): Promise<boolean> {
    const { patient, till } = this;
    const { manner, paysAfter } = patient;
    if (manner === 'NEVER') return false;
    const heldSince = till.clock.now();
    const session = await this.#start();
    if (session === undefined) return false;
    await till.clock.until(heldSince + paysAfter);
    if (manner === 'WRONG_AMOUNT') return this.#payWrongFirst(session);
    const notice = {
      ...(manner === 'TOLD_TWICE' && { times: 2 }),
      ...(manner === 'DECLINED_FIRST' && { failed_before: true }),
      ...(manner === 'TOLD_LATE' && { delay_ms: Math.round(TOLD_LATE * till.clock.minuteMs) }),
    };
    const isPaid = await this.#pay(session.url, { notice });
    if (isPaid && manner === 'TWICE') await this.#press(session.url, { even_if_ended: true });
    return isPaid;
  }

  async #payWrongFirst(session: Session): Promise<boolean> {
    if (!(await this.#pay(session.url, { amount_minor: session.amountMinor - 1 }))) return false;
    for (let tried = 0; tried < ANEW.tries; tried += 1) {
      const next = await this.#start();
      if (next === undefined) return false;
      if (next.url !== session.url) return this.#pay(next.url, {});
      await pause(ANEW.everyMs);
    }
    return false;
  }

  /** Who insists sends the money also when the page takes none any more. */
  async #pay(url: string, press: Press): Promise<boolean> {
    if (await this.#press(url, press)) return true;
    return this.patient.insists && (await this.#press(url, { ...press, even_if_ended: true }));
  }

  async #press(url: string, press: Press): Promise<boolean> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/press`, { method: 'POST', headers, body: JSON.stringify(press) });
    const taken = (await response.json()) as { provider_payment_id: string; amount_minor: number };
    if (!response.ok) return false;
    this.captures.push({
      ...{ paymentId: taken.provider_payment_id, orderId: this.orderId, amountMinor: taken.amount_minor },
    });
    return true;
  }

  /** Undefined: the hold has ended. */
  async #start(): Promise<Session | undefined> {
    this.#tries += 1;
    const { answer, body } = await this.till.ask({
      ...{ method: 'POST', path: `/v1/orders/${this.orderId}/payment`, userId: this.patient.userId },
      ...{ key: `pay-${this.#tries}-${this.patient.userId}`, body: {} },
    });
    if (answer.status !== 200) return undefined;
    return { url: String(body.url), amountMinor: Number(body.amount_minor) };
  }
}

interface Session {
  url: string;
  amountMinor: number;
}
