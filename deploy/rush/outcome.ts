import type { Passage } from './passage.js';
import type { ScenarioLine } from './scenario.js';

/** QUEUED: it still stood in line when its patience ended. WAITLISTED: it waits for what is sold out. */
export type Answer = 'HELD' | 'PENDING' | 'REFUSED' | 'QUEUED' | 'WAITLISTED' | 'ERROR';

/** The no that a person was given. */
export interface ToldRefusal {
  reason: string;
  nextReleaseAt?: Date;
  opensAt?: Date;
}

/** What became of one request, that is of one user and one key, however often it was sent. */
export interface Outcome {
  userId: string;
  key: string;
  lines: ScenarioLine[];
  /** The last answer. */
  answer: Answer;
  /** Every order id that an answer ever called HELD; more than one breaks a law. */
  heldIds: string[];
  /** Every order id that was promised with PENDING. */
  pendingIds: string[];
  /** The first final no, if there ever was one: nothing may follow it. */
  refusal?: ToldRefusal;
  /** By this machine's clock. Set with refusal. */
  refusedAt?: Date;
  /** What the last error said. Set while answer is ERROR. */
  error?: string;
  /** From the moment the first press was due until the first answer that was no error. */
  latencyMs: number;
  /** How often it was sent, repeats and retries counted. */
  sends: number;
  /** Why it was sent again, each time. */
  setbacks: string[];
  /** How it got past the limits. */
  passage: Passage;
}
