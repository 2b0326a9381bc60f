import type { Fault } from '#libs/refusal/fault.js';

/** What those who listen are told: a state, named by its id. */
export interface Told {
  /** Names this state; another state has another id. */
  readonly id: string;
  /** As it goes over the wire, made once for all who listen. */
  readonly frame: Buffer;
  /** Nothing comes after it, ever. */
  readonly isLast: boolean;
}

/** Who listens. It may be told something while it is still joining. */
export interface Listener {
  heard(told: Told): void;
  /** Nothing comes any more: after the last word, or because of a fault. */
  ended(fault: Fault | undefined): void;
}

/** Begins to listen: the state of today first, then each change. Gives how to leave. */
export type Join = (listener: Listener) => () => void;

export interface FeedOptions {
  /** How long a source may be away before its listeners are sent away (15 s). */
  awayMaxMs?: number;
  /** How long the first word may be waited for while the source is away (2 s). */
  firstMaxMs?: number;
  /** The first pause before a source is opened again; each further one is twice as long, up to 2 s (100 ms). */
  pauseMs?: number;
}
