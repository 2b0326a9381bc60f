/** How one request got past the limits of its skus. Times are those of performance.now() of the rush. */
export interface Passage {
  firstSentAt: number;
  /** When it was first told of a place in line: it surely had arrived by then. */
  queuedAt?: number;
  /** When the try that was let through had been sent, and when its answer came: it surely passed in between. */
  passedSentAt?: number;
  passedAt?: number;
  /** Answers that named a place in line, and the most people that one of them saw ahead. */
  timesQueued: number;
  mostAhead: number;
  /** The limit that each answer 429 named. */
  limits: string[];
}

/** Of a request that was not sent yet. */
export function newPassage(): Passage {
  return { firstSentAt: Number.POSITIVE_INFINITY, timesQueued: 0, mostAhead: 0, limits: [] };
}

/** It is sent now; gives the moment. */
export function noteSent(passage: Passage): number {
  const now = performance.now();
  passage.firstSentAt = Math.min(passage.firstSentAt, now);
  return now;
}

/** It has a place, with so many people ahead. */
export function noteQueued(passage: Passage, peopleAhead: number): void {
  passage.queuedAt ??= performance.now();
  passage.timesQueued += 1;
  passage.mostAhead = Math.max(passage.mostAhead, peopleAhead);
}

/** It was let through: a yes, a promise or a true no. The first press that gets there counts. */
export function notePassed(passage: Passage, sentAt: number): void {
  if (passage.passedAt !== undefined) return;
  passage.passedAt = performance.now();
  passage.passedSentAt = sentAt;
}
