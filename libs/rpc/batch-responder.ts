import { Fault } from '#libs/refusal/fault.js';
import { batchRecorder, type RpcMetrics } from './metrics.js';
import type { ServerDuplex } from './server-duplex.js';

export interface BatchResponderOptions<Item, Result, Request, Response> {
  stream: ServerDuplex<Request, Response>;
  /** Names the stream in metrics. */
  name: string;
  items: (request: Request) => Item[];
  wrap: (results: Result[]) => Response;
  /** Handles the items of one message. Each must be answered once, in any order, by add() with its itemId. */
  onItems: (items: Item[]) => void;
  metrics?: RpcMetrics;
  /** Results that may wait for a slow caller (50,000); beyond them the stream is ended. */
  maxWaiting?: number;
}

/**
 * The server's end of a batched stream. Results that fall in one tick, or while the transport takes the last message, leave in one
 * message. When the caller sends no more and every item is answered, the stream ends.
 */
export class BatchResponder<Item, Result, Request = unknown, Response = unknown> {
  readonly #options: BatchResponderOptions<Item, Result, Request, Response>;
  readonly #maxWaiting: number;
  readonly #countItems: (items: number) => void;
  readonly #countResults: (items: number) => void;
  #results: Result[] = [];
  #unanswered = 0;
  #flushIsDue = false;
  #isSending = false;
  #callerIsDone = false;

  constructor(options: BatchResponderOptions<Item, Result, Request, Response>) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 50_000;
    this.#countItems = batchRecorder(options.metrics, `${options.name} received`);
    this.#countResults = batchRecorder(options.metrics, `${options.name} answered`);
    options.stream.onMessage((request) => {
      const items = options.items(request);
      this.#unanswered += items.length;
      this.#countItems(items.length);
      options.onItems(items);
    });
    options.stream.onEnd(() => {
      this.#callerIsDone = true;
      this.#endWhenAnswered();
    });
  }

  /** Sends the result of one item. After the end of the stream it does nothing. */
  add(result: Result): void {
    this.#unanswered -= 1;
    if (this.#options.stream.ended) return;
    this.#results.push(result);
    if (this.#results.length > this.#maxWaiting) {
      this.#results = [];
      this.#options.stream.fail(new Fault('BUSY', 'The caller does not read its results'));
    }
    if (this.#flushIsDue || this.#isSending) return;
    this.#flushIsDue = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushIsDue = false;
    const results = this.#results;
    if (results.length === 0) {
      this.#endWhenAnswered();
      return;
    }
    this.#results = [];
    this.#isSending = true;
    this.#countResults(results.length);
    this.#options.stream.sendBatch(results, this.#options.wrap, this.#taken);
  };

  readonly #taken = (): void => {
    this.#isSending = false;
    this.#flush();
  };

  #endWhenAnswered(): void {
    if (this.#callerIsDone && this.#unanswered === 0 && this.#results.length === 0) this.#options.stream.end();
  }
}
