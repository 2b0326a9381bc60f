import { createInbox, type Msg, NatsError } from 'nats';
import { Fault } from '#libs/refusal/fault.js';
import type { Connection } from './connection.js';

/** What a stream says of a message that it has. */
export interface Stored {
  /** Its place in the stream. */
  readonly sequence: number;
  /** True when the stream had it already. */
  readonly duplicate: boolean;
}

/** How late it may be noticed that the word of a stream did not come. */
const EXPIRE_EVERY_MS = 50;
/** "maximum messages/bytes exceeded": the stream is full. */
const STREAM_FULL = 10077;

interface Expected {
  readonly deadlineMs: number;
  readonly resolve: (stored: Stored) => void;
  readonly reject: (fault: Fault) => void;
}

interface Reply {
  seq?: number;
  duplicate?: boolean;
  error?: { code: number; err_code?: number; description?: string };
}

/**
 * Where the word of streams comes back: one subscription and one timer for all messages under way. The client's own
 * requests have a timer and a subject lookup each, and cost four times as much.
 */
export class Acknowledgements {
  readonly #inbox = createInbox();
  readonly #expected = new Map<string, Expected>();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(connection: Connection) {
    this.#stop = connection.subscribe(`${this.#inbox}.*`, (message) => this.#heard(message));
  }

  /** Sends with the subject to which the stream shall answer, and resolves with its word. Rejects as Messaging.store says. */
  of(timeoutMs: number, send: (reply: string) => void): Promise<Stored> {
    this.#count += 1;
    const token = this.#count.toString(36);
    return new Promise<Stored>((resolve, reject) => {
      try {
        send(`${this.#inbox}.${token}`);
      } catch (cause) {
        reject(unanswered(cause));
        return;
      }
      this.#expected.set(token, { deadlineMs: performance.now() + timeoutMs, resolve, reject });
      this.#timer ??= setInterval(() => this.#expire(), EXPIRE_EVERY_MS);
    });
  }

  /** Nothing more is waited for. */
  close(): void {
    this.#stop();
    this.#expire(Number.POSITIVE_INFINITY);
  }

  #heard(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const expected = this.#expected.get(token);
    if (expected === undefined) return;
    this.#expected.delete(token);
    const word = wordSafely(message);
    if (word instanceof Fault) expected.reject(word);
    else expected.resolve(word);
  }

  #expire(now = performance.now()): void {
    for (const [token, { deadlineMs, reject }] of this.#expected) {
      if (deadlineMs > now) continue;
      this.#expected.delete(token);
      reject(unanswered(undefined));
    }
    if (this.#expected.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** What throws in a callback would end the whole connection's reading. */
function wordSafely(message: Msg): Stored | Fault {
  try {
    return wordOf(message);
  } catch (cause) {
    return unanswered(cause);
  }
}

function wordOf(message: Msg): Stored | Fault {
  // Without data it is the server's own word that no stream listens.
  if (message.data.length === 0) return unanswered(new NatsError('no stream listens', String(message.headers?.code)));
  const { seq = 0, duplicate = false, error } = message.json<Reply>();
  if (error === undefined) return { sequence: seq, duplicate };
  const cause = new NatsError(error.description ?? 'refused', String(error.err_code ?? error.code));
  return error.err_code === STREAM_FULL ? new Fault('BUSY', 'the stream is full', { cause }) : unanswered(cause);
}

function unanswered(cause: unknown): Fault {
  return new Fault('UNAVAILABLE', 'the stream did not answer', { cause });
}
