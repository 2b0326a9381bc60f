import { readId } from './typed.js';

/** An order as a story begins with it. */
export interface StoryOrder {
  orderId: string;
  storeId: string;
  userId: string;
  /** In capitals, such as HELD. */
  state: string;
  lines: { skuId: string; quantity: number; attendeeId: string }[];
  amountMinor: number;
  currency: string;
  createdAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** Why it was refused; empty: it was not. */
  refusal: string;
}

/** One thing that happened. */
export interface StoryEvent {
  at?: Date | undefined;
  orderId: string;
  what: string;
  text: string;
}

/** What happened to an order. */
export interface OrderStory {
  /** Absent: there is no row of it; the journal, or a letter, may know it. */
  order?: StoryOrder;
  events: StoryEvent[];
}

/** What a person did about a sku. */
export interface UserStory {
  orders: StoryOrder[];
  events: StoryEvent[];
  /** Units that the person has now, and may have. */
  units: number;
  limit: number;
}

/** What came of a request id. */
export type RequestStory = Pick<UserStory, 'orders' | 'events'>;

/** A request id, and whose it is as far as that is known. */
export interface RequestAsked {
  requestId: string;
  /** Empty: anybody's. */
  userId: string;
  /** Empty: any. */
  storeId: string;
}

/** An id of an order, or what is wrong with it. */
export function readOrderId(typed: string): { orderId: string } | { problems: string[] } {
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(typed)) return { orderId: typed.toLowerCase() };
  const problem = `ORDER ${JSON.stringify(typed)}: an order id is a UUID; holdfast explain user USER --sku SKU finds it`;
  return { problems: [problem] };
}

/** A person and a sku, or everything that is wrong with them. */
export function readPerson(
  user: string,
  sku: string | undefined,
): { userId: string; skuId: string } | { problems: string[] } {
  const problems: string[] = [];
  const userId = readId('USER', user, problems);
  const skuId = readId('--sku', sku, problems);
  if (sku === undefined) problems.push('--sku is missing: which sku is it about, for example --sku kiln-mug');
  return userId === undefined || skuId === undefined ? { problems } : { userId, skuId };
}

/** A request id with what is known of it, or everything that is wrong with them. */
export function readRequest(
  request: string,
  { user, store }: { user?: string; store?: string },
): RequestAsked | { problems: string[] } {
  const problems: string[] = [];
  if (!/^[\x21-\x7e]{1,255}$/.test(request)) {
    const rule = 'a request id has 1 to 255 printable ASCII characters without spaces';
    problems.push(`REQUEST ${JSON.stringify(request)}: ${rule}`);
  }
  const userId = readId('--user', user, problems) ?? '';
  const storeId = readId('--store', store, problems) ?? '';
  if (store !== undefined && user === undefined) problems.push('--user is missing: --store goes with it');
  return problems.length > 0 ? { problems } : { requestId: request, userId, storeId };
}
