import type { HttpAnswer, HttpAsk } from '../rush/http-connection.js';
import { HttpPool } from '../rush/http-pool.js';
import { type Reply, readReply } from '../rush/reply.js';

/** One answer as somebody in the crowd saw it. Times in milliseconds since the epoch. */
export interface Sight {
  sentAt: number;
  at: number;
  /** POST places an order, GET asks what became of it. */
  method: HttpAsk['method'];
  kind: Reply['kind'];
  /** Why it has to be sent again, or went wrong. */
  why?: string;
}

/** One process of the HTTP edge, and where it says whether it takes requests. */
export interface Edge {
  http: string;
  /** `host:port`. */
  admin: string;
}

const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 1_000;

/**
 * What stands before the HTTP edge: requests go in turn to those of its processes that say they are ready, as a load
 * balancer sends them, and every answer is remembered with its moment.
 */
export class CrowdPool extends HttpPool {
  readonly sights: Sight[] = [];
  readonly #edges: { edge: Edge; pool: HttpPool; ready: boolean }[];
  readonly #probes: NodeJS.Timeout;
  #turn = 0;

  constructor(edges: readonly Edge[], maxSockets: number) {
    super(edges[0]?.http ?? 'http://127.0.0.1', maxSockets);
    this.#edges = edges.map((edge) => ({ edge, pool: new HttpPool(edge.http, maxSockets), ready: true }));
    this.#probes = setInterval(() => {
      if (this.#edges.length > 1) for (const one of this.#edges) void this.#probe(one);
    }, PROBE_EVERY_MS);
  }

  override async ask(ask: HttpAsk): Promise<HttpAnswer> {
    const sentAt = Date.now();
    try {
      const answer = await this.#next().ask(ask);
      const reply = readReply(answer);
      this.#saw(ask, { sentAt, kind: reply.kind, ...('why' in reply && { why: reply.why }) });
      return answer;
    } catch (error) {
      this.#saw(ask, { sentAt, kind: 'AGAIN', why: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  override async warmUp(count: number): Promise<void> {
    await Promise.all(this.#edges.map(({ pool }) => pool.warmUp(Math.ceil(count / this.#edges.length))));
  }

  override close(): void {
    clearInterval(this.#probes);
    for (const { pool } of this.#edges) pool.close();
    super.close();
  }

  #saw({ method }: HttpAsk, sight: Omit<Sight, 'at' | 'method'>): void {
    this.sights.push({ ...sight, method, at: Date.now() });
  }

  #next(): HttpPool {
    const ready = this.#edges.filter((one) => one.ready);
    const among = ready.length > 0 ? ready : this.#edges;
    this.#turn += 1;
    return among[this.#turn % among.length]?.pool ?? this;
  }

  async #probe(one: { edge: Edge; ready: boolean }): Promise<void> {
    try {
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      one.ready = (await fetch(`http://${one.edge.admin}/readyz`, { signal })).ok;
    } catch {
      one.ready = false;
    }
  }
}
