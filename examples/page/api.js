// Holdfast's HTTP edge as a page asks it: answers, problems, and streams of events read by fetch, which can send a token.

/** One answer. `retryAfterMs`: when the edge says to come again. */
/** @typedef {{ status: number, body: Record<string, unknown>, retryAfterMs: number | undefined }} Answer */

const ANSWER_TIMEOUT_MS = 15_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** The edge writes at least a comment every 15 s: a stream that is silent for longer is dead. */
const SILENCE_MAX_MS = 40_000;

export class Api {
  /** By how much the clock of the edge is ahead of this one. */
  clockAheadMs = 0;

  /**
   * @param {string} base
   * @param {() => string} token
   */
  constructor(base, token) {
    this.base = base.replace(/\/$/, '');
    this.token = token;
  }

  /**
   * Asks once. Rejects when there is no answer: nobody knows then what became of it.
   * @param {string} method
   * @param {string} path
   * @param {{ key?: string, body?: object, signal?: AbortSignal }} [more]
   * @returns {Promise<Answer>}
   */
  async ask(method, path, { key, body, signal } = {}) {
    const late = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(this.base + path, {
      method,
      headers: {
        ...this.#identity(),
        ...(key && { 'idempotency-key': key }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, late]) : late,
      cache: 'no-store',
    });
    this.#compareClocks(response.headers.get('date'));
    const answer = await response.json().catch(() => ({}));
    return { status: response.status, body: answer, retryAfterMs: retryAfterOf(response) };
  }

  /**
   * A thing now and after each change: by its stream of events; while that is away by asking again and again, no sooner than told. Ends
   * when nothing more will come, or with the signal; throws SignedOut.
   * @param {string} path
   * @param {AbortSignal} signal
   */
  async *follow(path, signal) {
    let lastEventId = '';
    for (let setbacks = 0; !signal.aborted; setbacks += 1) {
      let waitMs;
      try {
        for await (const event of this.events(`${path}/events`, { lastEventId, signal })) {
          if (event === 'OVER') return;
          lastEventId = event.id;
          setbacks = 0;
          yield event.data;
        }
      } catch {
        const { status, body, retryAfterMs } = await this.ask('GET', path, { signal }).catch(() => noAnswer);
        if (status === 200) yield body;
        if (status === 404) return;
        if (status === 401) throw new SignedOut(body);
        waitMs = retryAfterMs;
      }
      await pause(Math.max(waitMs ?? 0, backoffMs(setbacks)), signal);
    }
  }

  /**
   * The events of one stream until it ends, and `OVER` in the place of one that will tell nothing more. Rejects when it cannot be had or
   * breaks.
   * @param {string} path
   * @param {{ lastEventId?: string, signal: AbortSignal }} options
   */
  async *events(path, { lastEventId = '', signal }) {
    const silent = new AbortController();
    const heard = watchdog(SILENCE_MAX_MS, () => silent.abort());
    try {
      const response = await fetch(this.base + path, {
        headers: {
          ...this.#identity(),
          accept: 'text/event-stream',
          ...(lastEventId && { 'last-event-id': lastEventId }),
        },
        signal: AbortSignal.any([signal, silent.signal]),
        cache: 'no-store',
      });
      if (response.status === 204) yield 'OVER';
      else if (!response.ok || !response.body) throw new Error(`${response.status}`);
      else yield* eventsIn(response.body, heard.again);
    } finally {
      heard.stop();
    }
  }

  /** The header tells whole seconds: what is less than two is none. */
  #compareClocks(date) {
    const aheadMs = Date.parse(date ?? '') + 500 - Date.now();
    this.clockAheadMs = Math.abs(aheadMs) > 2_000 ? aheadMs : 0;
  }

  #identity() {
    return { authorization: `Bearer ${this.token()}` };
  }
}

/** The token is not believed, or not any more. */
export class SignedOut extends Error {
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }
}

const noAnswer = { status: 0, body: {}, retryAfterMs: undefined };

/** Later each time, and spread, so that a crowd does not come back as one. */
export function backoffMs(setbacks) {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** setbacks) * (0.5 + Math.random() / 2);
}

/** Resolves after a time, or at once when the network is back; rejects with the signal. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = new AbortController();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      end.abort();
      resolve();
    }
    const giveUp = () => {
      clearTimeout(timer);
      end.abort();
      reject(signal.reason);
    };
    if (signal.aborted) return giveUp();
    addEventListener('online', done, { signal: end.signal });
    signal.addEventListener('abort', giveUp, { signal: end.signal });
  });
}

function retryAfterOf({ headers }) {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}

function watchdog(ms, bark) {
  let timer = setTimeout(bark, ms);
  return {
    again() {
      clearTimeout(timer);
      timer = setTimeout(bark, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Reads an event stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* eventsIn(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block) {
  const field = (name) =>
    block
      .split(/\r?\n/)
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      .join('\n');
  const data = field('data');
  return data === '' ? undefined : { id: field('id'), type: field('event'), data: JSON.parse(data) };
}
