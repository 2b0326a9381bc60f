import { setTimeout as pause } from 'node:timers/promises';
import { type HttpAnswer, type HttpAsk, headerOf } from '../../rush/http-connection.js';
import type { HttpPool } from '../../rush/http-pool.js';

/** So long one try may take: longer than the HTTP edge waits itself. */
const TRY_MS = 30_000;
/** So long the same key is sent again while nothing is decided. */
const PERSISTENCE_MS = 60_000;
const PAUSE_MS = { first: 100, most: 2_000 };
const AGAIN = new Set([429, 502, 503, 504]);

/** The HTTP edge, and what shows it who asks. */
export interface Edge {
  pool: HttpPool;
  tokenOf: (userId: string) => string;
}

export interface Wish {
  method: HttpAsk['method'];
  path: string;
  userId: string;
  /** Idempotency-Key: what is sent again under it is done once. */
  key: string;
  body?: object;
}

/** What the HTTP edge said in the end; status 0: nothing, however often it was asked. */
export interface Said {
  answer: HttpAnswer;
  /** The members of its JSON, none where it is none. */
  body: Record<string, unknown>;
  /** Answers that said to come again, or never came. */
  setbacks: string[];
}

/** Asks as a good client does: the same key again, later each time, until something is decided. */
export async function insist(edge: Edge, wish: Wish, isOpen = (_: Said): boolean => false): Promise<Said> {
  const giveUpAt = Date.now() + PERSISTENCE_MS;
  const setbacks: string[] = [];
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)) {
    const said = await once(edge, wish, setbacks);
    const again =
      AGAIN.has(said.answer.status) || said.answer.status === 0 || said.body.reason === 'REQUEST_IN_PROGRESS';
    if (!again && !isOpen(said)) return said;
    if (Date.now() >= giveUpAt) return said;
    if (again) setbacks.push(String(said.body.reason ?? said.answer.status));
    else pauseMs = PAUSE_MS.first;
    const toldMs = Number(headerOf(said.answer.head, 'retry-after') ?? 0) * 1_000;
    await pause(Math.max(toldMs, pauseMs * (0.5 + Math.random())));
  }
}

async function once({ pool, tokenOf }: Edge, wish: Wish, setbacks: string[]): Promise<Said> {
  const { method, path, userId, key, body } = wish;
  const headers = { authorization: `Bearer ${tokenOf(userId)}`, 'idempotency-key': key };
  try {
    const answer = await pool.ask({
      ...{ method, path, headers, timeoutMs: TRY_MS },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { answer, body: membersOf(answer.body), setbacks };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { answer: { status: 0, head: '', body: why }, body: { reason: why }, setbacks };
  }
}

function membersOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
