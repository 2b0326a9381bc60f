import type { FastifyReply } from 'fastify';

/** Facts of RATE_LIMITED that are numbers; the contract carries all of them as text. */
const numeric: ReadonlySet<string> = new Set(['rate', 'burst', 'remaining', 'reset_ms', 'streams']);

type Facts = Readonly<Record<string, string | number>>;

/** Which limit stood in the way, and its figures, as the members of a problem. */
export function rateLimitJson(metadata: Readonly<Record<string, string>>): Facts {
  const facts: Record<string, string | number> = {};
  for (const name in metadata) {
    const text = metadata[name] ?? '';
    const isNumber = numeric.has(name) && text !== '' && Number.isFinite(Number(text));
    facts[name] = isNumber ? Number(text) : text;
  }
  return facts;
}

/** The same in the fields of draft-ietf-httpapi-ratelimit-headers, for clients that know them. */
export function setRateLimitFields(reply: FastifyReply, { limit, rate, burst, remaining, reset_ms }: Facts): void {
  if (typeof rate !== 'number' || typeof burst !== 'number' || rate <= 0) return;
  const policy = `"${String(limit).toLowerCase().replaceAll('_', '-')}"`;
  reply.header('ratelimit-policy', `${policy};q=${burst};w=${Math.ceil(burst / rate)}`);
  if (typeof remaining !== 'number' || typeof reset_ms !== 'number') return;
  reply.header('ratelimit', `${policy};r=${Math.max(0, Math.floor(remaining))};t=${Math.ceil(reset_ms / 1_000)}`);
}
