import type {
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { faultOf } from '#libs/refusal/fault.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import type { TestMesh } from './test-mesh.js';

/** One unit of a sku for one user, or what else is named. */
export interface Press {
  user: string;
  key: string;
  skuId: string;
  storeId?: string;
  quantity?: number;
  /** Sent as it stands, in the place of what the above comes to. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** What the HTTP edge said. */
export interface HttpSaid {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Presses the button of an app once. */
export async function pressHttp(http: string, press: Press): Promise<HttpSaid> {
  const { user, key, skuId, storeId = 'store-1', quantity = 1, headers } = press;
  const own = { 'content-type': 'application/json', authorization: bearerOf(user), 'idempotency-key': key };
  const response = await fetch(`${http}/v1/orders`, {
    method: 'POST',
    headers: { ...own, ...headers },
    body: press.text ?? JSON.stringify({ store_id: storeId, lines: [{ sku_id: skuId, quantity }] }),
  });
  return { status: response.status, body: (await response.json()) as HttpSaid['body'], headers: response.headers };
}

/** The request of a press, for gRPC. */
export function requestOf({ key, skuId, storeId = 'store-1', quantity = 1 }: Press): ReserveRequest {
  return { storeId, requestId: key, lines: [{ skuId, quantity, attendeeId: '', unitPriceMinor: 0 }] };
}

/** What a gateway said: the outcome, or the reason of the status in its place. */
export interface Said {
  kind: string;
  outcome?: ReserveResponse['outcome'];
  /** Of a status. */
  retryAfterMs?: number | undefined;
  metadata: Readonly<Record<string, string>>;
}

/** Presses once at a gateway. Never rejects. */
export async function press(gateway: TestMesh['gateway'], one: Press, deadlineMs = 10_000): Promise<Said> {
  try {
    const { outcome } = await gateway.reserve(requestOf(one), { metadata: metadataOf(one), deadlineMs });
    return { kind: outcome?.$case ?? 'nothing', outcome, metadata: {} };
  } catch (thrown) {
    const { reason, retryAfterMs, metadata } = faultOf(thrown);
    return { kind: reason, retryAfterMs, metadata };
  }
}

/** Presses with the same key until somebody knows the outcome: it cannot count twice. */
export function insist(gateway: TestMesh['gateway'], one: Press): Promise<Said> {
  return until(async () => {
    const said = await press(gateway, one);
    return said.kind === 'UNAVAILABLE' || said.kind === 'TOO_LATE' ? undefined : said;
  });
}

/** The id of the order that an answer tells of; undefined when it tells of none. */
export function orderIdOf({ outcome }: Said): string | undefined {
  if (outcome?.$case === 'held') return outcome.value.order?.orderId;
  return outcome?.$case === 'pending' ? outcome.value.orderId : undefined;
}

/** How often each kind was said. */
export function tally(said: readonly { kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of said) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function metadataOf({ user, headers }: Press): Record<string, string> {
  return { authorization: bearerOf(user), ...headers };
}
