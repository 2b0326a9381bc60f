// One wish on its way: under one key however often it is pressed, over reloads and lost connections, until it is decided.
import { backoffMs, pause, SignedOut } from './api.js';

/** The same again is right after these: nothing is decided, or nobody knows. */
const AGAIN_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);
const AGAIN_REASONS = new Set(['REQUEST_IN_PROGRESS', 'ORDER_PENDING']);
/** Who waits for an opening does not come back in the same millisecond as all others. */
const OPENING_SPREAD_MS = 500;

export class Booking {
  #api;
  #wish;
  #memory;
  #show;
  #run = new AbortController();
  /** The order or entry that is shown, by its path. */
  #path = '';

  /**
   * `memory` keeps the key: `{ read(), write(key), forget() }`. `show` is given all that the page has to show, `state` first.
   * @param {{ api: import('./api.js').Api, wish: { store_id: string, lines: object[] }, memory: object, show: (view: object) => void }} parts
   */
  constructor({ api, wish, memory, show }) {
    this.#api = api;
    this.#wish = wish;
    this.#memory = memory;
    this.#show = show;
  }

  /** Goes on with what was pressed before the page was loaded; else shows that nothing was. */
  resume() {
    if (this.#memory.read() === null) this.#show({ state: 'IDLE' });
    else void this.press();
  }

  /** Books. Pressed again while it is on its way it is sent again, under the same key. */
  async press() {
    const key = this.#memory.read() ?? crypto.randomUUID();
    this.#memory.write(key);
    await this.#while((signal) => this.#insist(key, signal));
  }

  /** What is decided is done with: the next press is another order. */
  startAnew() {
    this.#run.abort();
    this.#memory.forget();
    this.#show({ state: 'IDLE' });
  }

  /** Where the order that is held is paid; undefined, and the problem is shown, when there is no way now. */
  async pay() {
    const { status, body } = await this.#change('POST', `${this.#path}/payment`, crypto.randomUUID());
    if (status === 200) return String(body.url ?? '');
    this.#show({ state: 'PROBLEM', ...textOf(body) });
    return undefined;
  }

  /** Gives the order up; what follows it tells of the end. */
  giveUp() {
    return this.#end('POST', `${this.#path}:cancel`);
  }

  /** Leaves the waitlist. */
  leave() {
    return this.#end('DELETE', this.#path);
  }

  async #end(method, path) {
    const { status, body } = await this.#change(method, path, this.#memory.read() ?? crypto.randomUUID());
    if (status !== 200) this.#show({ state: 'PROBLEM', ...textOf(body) });
  }

  /** One try of a change, whose outcome is looked at by a person. */
  #change(method, path, key) {
    return this.#api.ask(method, path, { key }).catch(() => unreachable);
  }

  /** One thing goes on at a time: the newest. */
  async #while(work) {
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SignedOut)) throw error;
      this.#show({ state: 'LOGIN', ...textOf(error.problem) });
    }
  }

  async #insist(key, signal) {
    for (let setbacks = 0; ; setbacks += 1) {
      this.#show({ state: 'SENDING' });
      const answer = await this.#api
        .ask('POST', '/v1/orders', { key, body: this.#wish, signal })
        .catch(() => unreachable);
      signal.throwIfAborted();
      const { status, body } = answer;
      if (status === 202 && body.state === 'QUEUED') {
        setbacks = -1;
        await this.#turn(body, signal);
      } else if (status === 201 || status === 202) {
        // An order that was promised and refused in the end is asked for once more: the answer says why.
        if ((await this.#follow(body, signal)) !== 'REFUSED') return;
      } else if (!(await this.#again(answer, setbacks, signal))) {
        return;
      }
    }
  }

  /** Stands in line until the turn has come: the stream of the place says so, and the time that was told without it. */
  async #turn(place, signal) {
    const { store_id: storeId } = this.#wish;
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    const path = `/v1/stores/${encodeURIComponent(storeId)}/skus/${encodeURIComponent(place.sku_id)}/place/events`;
    let dueAt = performance.now() + place.retry_after_ms;
    const watching = (async () => {
      for await (const event of this.#api.events(path, { signal: either })) {
        if (event === 'OVER' || event.data.state !== 'WAITING') break;
        dueAt = performance.now() + event.data.retry_after_ms;
        this.#show({ state: 'QUEUED', ahead: event.data.people_ahead });
      }
      dueAt = Math.min(dueAt, performance.now());
      done.abort();
    })().catch(() => undefined);
    this.#show({ state: 'QUEUED', ahead: place.people_ahead });
    while (!done.signal.aborted && performance.now() < dueAt) {
      await pause(Math.min(1_000, dueAt - performance.now()), either).catch(() => signal.throwIfAborted());
    }
    done.abort();
    await watching;
  }

  /** Follows what the answer names, an order or a place in the waitlist; gives the state that was last. */
  async #follow(body, signal) {
    if (body.entry_id === undefined || body.lines !== undefined) return this.#followOrder(body, signal);
    this.#path = `/v1/waitlist/${body.entry_id}`;
    this.#showEntry(body);
    for await (const entry of this.#api.follow(this.#path, signal)) {
      if (entry.order_id !== undefined) return this.#followOrder({ order_id: entry.order_id }, signal);
      this.#showEntry(entry);
      if (entry.state !== 'WAITING') break;
    }
    return 'ENTRY';
  }

  #showEntry({ state, people_ahead: ahead, estimated_seconds: seconds }) {
    if (state === 'WAITING') return this.#show({ state: 'WAITLISTED', ahead, seconds: seconds && Number(seconds) });
    this.#memory.forget();
    this.#show({ state: 'ENDED', why: state });
  }

  async #followOrder(first, signal) {
    this.#path = `/v1/orders/${first.order_id}`;
    let last = first.state;
    if (last !== undefined) this.#showOrder(first);
    if (isFinal(last)) return last;
    for await (const order of this.#api.follow(this.#path, signal)) {
      last = order.state;
      this.#showOrder(order);
      if (isFinal(last)) break;
    }
    return last;
  }

  #showOrder(order) {
    const { state } = order;
    if (state === 'REFUSED') return;
    if (!isFinal(state)) return this.#show({ state, order });
    this.#memory.forget();
    this.#show({ state: 'ENDED', why: state, order });
  }

  /** Whether the same is to be sent again, once it is time; else it is shown why not, and the key is done with. */
  async #again(answer, setbacks, signal) {
    const { status, body, retryAfterMs = 0 } = answer;
    const opensAt = Date.parse(body.opens_at ?? '') - this.#api.clockAheadMs;
    if (answer === unreachable) {
      this.#show({ state: 'UNREACHABLE' });
      await pause(backoffMs(setbacks), signal);
    } else if (AGAIN_STATUS.has(status) || AGAIN_REASONS.has(body.reason)) {
      const waitMs = Math.max(retryAfterMs, backoffMs(setbacks));
      this.#show({ state: 'BUSY', ...textOf(body), againAt: Date.now() + waitMs });
      await pause(waitMs, signal);
    } else if (opensAt > 0) {
      this.#show({ state: 'OPENS', ...textOf(body), opensAt });
      await pause(Math.max(0, opensAt - Date.now()) + Math.random() * OPENING_SPREAD_MS, signal);
    } else {
      // Whoever signs in goes on with the same wish; anything else is final.
      if (status !== 401) this.#memory.forget();
      this.#show({ state: status === 401 ? 'LOGIN' : 'NO', ...textOf(body) });
      return false;
    }
    return true;
  }
}

const unreachable = { status: 0, body: { title: 'Holdfast cannot be reached', detail: '' }, retryAfterMs: undefined };

function isFinal(state) {
  return state === 'CANCELLED' || state === 'EXPIRED' || state === 'FULFILLED' || state === 'REFUSED';
}

function textOf({ title = 'That did not work', detail = '', reason = '' }) {
  return { title, detail, reason };
}
