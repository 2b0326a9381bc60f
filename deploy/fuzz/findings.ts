/** What one thing that was sent came to. */
export interface Told {
  /** What it was sent to: `POST /v1/orders`, `Reserve`, `bytes to http`. */
  target: string;
  /** `201`, `409 SOLD_OUT`, `INVALID_ARGUMENT INVALID_REQUEST`, `closed`. */
  answer: string;
  /** Why this answer should not have been; undefined when it may be. */
  wrong?: string | undefined;
  /** An order that was told as taken or promised. */
  orderId?: string | undefined;
}

/** One thing that should not be, with what shows it. */
export interface Finding {
  target: string;
  wrong: string;
  /** What was sent, cut. */
  sent: string;
}

const KEPT_FINDINGS = 20;
const SHOWN_CHARACTERS = 300;

/** Counts every answer, and keeps the first of those that should not be. */
export class Findings {
  readonly answers = new Map<string, number>();
  readonly kept: Finding[] = [];
  readonly orders = new Set<string>();
  sent = 0;
  wrong = 0;

  note(told: Told, sent: () => string): void {
    this.sent += 1;
    const kind = `${told.target}: ${told.answer}`;
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
    if (told.orderId !== undefined) this.orders.add(told.orderId);
    if (told.wrong !== undefined) this.find({ target: told.target, wrong: told.wrong, sent: sent() });
  }

  find({ target, wrong, sent }: Finding): void {
    this.wrong += 1;
    if (this.kept.length < KEPT_FINDINGS) this.kept.push({ target, wrong, sent: sent.slice(0, SHOWN_CHARACTERS) });
  }
}
