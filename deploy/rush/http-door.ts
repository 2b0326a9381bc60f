import { setTimeout as sleep } from 'node:timers/promises';
import type { Door, Doors } from './door.js';
import type { HttpAsk } from './http-connection.js';
import { HttpPool } from './http-pool.js';
import { type Reply, readReply } from './reply.js';
import type { Person } from './scenario.js';

/** So many requests may be in flight at once; a browser would bring a socket of its own. */
const MAX_SOCKETS = 6_000;
/** Sockets opened before the start; the rest open as they are needed. */
const WARM_SOCKETS = 5_000;
/** How long one attempt may take before its outcome counts as unknown: longer than the HTTP edge waits itself. */
const ANSWER_TIMEOUT_MS = 30_000;
const FOLLOW_EVERY_MS = 100;

/** Through the HTTP edge, as an app goes. */
export function httpDoors(url: string): Doors {
  const pool = new HttpPool(url, MAX_SOCKETS);
  return {
    of: (token) => new HttpDoor(pool, token),
    warmUp: (people) => pool.warmUp(Math.min(WARM_SOCKETS, people)),
    close: () => pool.close(),
  };
}

/** One request for each try; a promise is asked after again and again. */
export class HttpDoor implements Door {
  readonly #authorization: string;

  constructor(
    private readonly pool: HttpPool,
    token: string,
  ) {
    this.#authorization = `Bearer ${token}`;
  }

  order({ storeId, lines }: Person, key: string, ear: { sent(): void }): Promise<Reply> {
    ear.sent();
    const body = JSON.stringify({
      store_id: storeId,
      lines: lines.map(({ skuId, quantity, attendeeId }) => ({
        sku_id: skuId,
        quantity,
        ...(attendeeId === undefined ? {} : { attendee_id: attendeeId }),
      })),
    });
    return this.#ask({ method: 'POST', path: '/v1/orders', headers: { 'idempotency-key': key }, body });
  }

  async follow(orderId: string, followMs: number): Promise<Reply | undefined> {
    const giveUpAt = Date.now() + followMs;
    while (Date.now() < giveUpAt) {
      await sleep(FOLLOW_EVERY_MS);
      const reply = await this.#ask({ method: 'GET', path: `/v1/orders/${orderId}`, headers: {} });
      if (reply.kind === 'HELD' || reply.kind === 'REFUSED') return reply;
    }
    return undefined;
  }

  async #ask({ headers, ...ask }: Omit<HttpAsk, 'timeoutMs'>): Promise<Reply> {
    const named = { ...headers, authorization: this.#authorization };
    try {
      return readReply(await this.pool.ask({ ...ask, headers: named, timeoutMs: ANSWER_TIMEOUT_MS }));
    } catch (error) {
      return { kind: 'AGAIN', why: error instanceof Error ? error.message : String(error) };
    }
  }
}
