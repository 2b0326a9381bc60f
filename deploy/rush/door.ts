import type { Reply } from './reply.js';
import type { Person } from './scenario.js';

/** Where one person's wishes go in, shown with the person's own token. */
export interface Door {
  /** Sends what the person wants under that key, once or for as long as the door itself insists. Never rejects. */
  order(person: Person, key: string, ear: Ear): Promise<Reply>;
  /** How a promise ended; undefined when it is none after so many milliseconds. */
  follow(orderId: string, followMs: number): Promise<Reply | undefined>;
}

/** Who hears what goes on behind a door. */
export interface Ear {
  /** A try is sent now. */
  sent(): void;
  /** That was the answer, and the door sends the same again when the time has come. */
  waits(reply: Reply): void;
}

/** The doors of a mesh, one for each token, over connections that they share. */
export interface Doors {
  of(token: string): Door;
  /** Opens what so many people need before they come. */
  warmUp(people: number): Promise<void>;
  close(): void;
}
