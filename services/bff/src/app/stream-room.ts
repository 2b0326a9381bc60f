import { Fault } from '#libs/refusal/fault.js';

/** Whose stream it is: a user's, or, where nobody is named, that of an address. */
export type StreamOwner = { readonly userKey: string } | { readonly address: string };

export interface StreamRoomOptions {
  /** Streams of this process. */
  max: number;
  maxOfUser: number;
  maxOfAddress: number;
  /** Hears which limit somebody met. */
  refused: (limit: 'STREAMS' | 'USER_STREAMS' | 'ADDRESS_STREAMS') => void;
}

/** When there is room again depends on when others leave, which nobody knows. */
const retryAfterMs = 5_000;

/** How many streams are open, in all and of each owner. */
export class StreamRoom {
  readonly #options: StreamRoomOptions;
  readonly #ofOwner = new Map<string, number>();
  #count = 0;

  constructor(options: StreamRoomOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a seat and gives how to leave it, once. RATE_LIMITED for owners who have theirs, BUSY when there is none left. */
  enter(owner: StreamOwner): () => void {
    const { max, maxOfUser, maxOfAddress, refused } = this.#options;
    const isUser = 'userKey' in owner;
    const key = isUser ? `user ${owner.userKey}` : `address ${owner.address}`;
    const most = isUser ? maxOfUser : maxOfAddress;
    const taken = this.#ofOwner.get(key) ?? 0;
    if (taken >= most) {
      const limit = isUser ? 'USER_STREAMS' : 'ADDRESS_STREAMS';
      refused(limit);
      const metadata = { limit, streams: String(most) };
      throw new Fault('RATE_LIMITED', `${most} streams are open already`, { metadata, retryAfterMs });
    }
    if (this.#count >= max) {
      refused('STREAMS');
      throw new Fault('BUSY', 'Too many streams are open here', { retryAfterMs });
    }
    this.#count += 1;
    this.#ofOwner.set(key, taken + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#leave(key);
      isTaken = false;
    };
  }

  #leave(key: string): void {
    this.#count -= 1;
    const left = (this.#ofOwner.get(key) ?? 0) - 1;
    if (left > 0) this.#ofOwner.set(key, left);
    else this.#ofOwner.delete(key);
  }
}
