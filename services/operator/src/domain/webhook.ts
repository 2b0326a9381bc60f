import { readDuration, readId, readNumber, readReason } from './typed.js';

/** Where events of a store go. */
export interface WebhookEndpoint {
  endpointId: string;
  storeId: string;
  url: string;
  /** Empty: all. */
  eventTypes: string[];
  /** ACTIVE, PAUSED or DISABLED. */
  state: string;
  stateReason: string;
  failingSince?: Date | undefined;
  createdBy: string;
  createdAt?: Date | undefined;
  waiting: number;
  previousSecretUntil?: Date | undefined;
}

/** One event for one endpoint. */
export interface WebhookDelivery {
  eventId: string;
  eventType: string;
  /** DUE, DELIVERED or FAILED. */
  state: string;
  attempts: number;
  createdAt?: Date | undefined;
  nextAttemptAt?: Date | undefined;
  lastAttemptAt?: Date | undefined;
  /** 0: there was no answer. */
  lastStatus: number;
  lastError: string;
  payload: string;
}

/** What an endpoint answered to a test. */
export interface WebhookTest {
  delivered: boolean;
  status: number;
  error: string;
  tookMs: number;
}

type Read<Value> = Value | { problems: string[] };

/** Everything that is typed to add an endpoint. */
export interface EndpointTyped {
  store?: string;
  url?: string;
  events?: string;
}

/** An endpoint to add, or everything that is wrong with it. */
export function readEndpoint({ store, url, events = '' }: EndpointTyped): Read<{
  storeId: string;
  url: string;
  eventTypes: string[];
}> {
  const problems: string[] = [];
  const storeId = readId('--store', store, problems);
  if (store === undefined) problems.push('--store is missing: say whose events are sent');
  if (url === undefined || !URL.canParse(url)) problems.push('--url: give one such as https://shop.example/hooks');
  if (problems.length > 0 || storeId === undefined || url === undefined) return { problems };
  const eventTypes = events.split(',').map((type) => type.trim());
  return { storeId, url, eventTypes: eventTypes.filter((type) => type !== '') };
}

/** The id of an endpoint, or what is wrong with it. */
export function readEndpointId(typed: string): Read<{ endpointId: string }> {
  const problems: string[] = [];
  const endpointId = readId('ENDPOINT', typed, problems);
  return endpointId === undefined ? { problems } : { endpointId };
}

/** A pause with its reason. */
export function readEndpointPause(
  typed: string,
  reason: string | undefined,
): Read<{ endpointId: string; reason: string }> {
  const problems: string[] = [];
  const endpointId = readId('ENDPOINT', typed, problems);
  const why = readReason(reason, problems);
  return problems.length > 0 || endpointId === undefined ? { problems } : { endpointId, reason: why };
}

const states = ['due', 'delivered', 'failed'] as const;

/** Which deliveries are listed. */
export interface DeliveriesWanted {
  endpointId: string;
  state: '' | 'DUE' | 'DELIVERED' | 'FAILED';
  since: Date | undefined;
  limit: number;
}

/** What is typed to list deliveries. `since` is how long ago. */
export function readDeliveries(
  typed: string,
  { state, since, limit: typedLimit }: { state?: string; since?: string; limit: string },
  now: Date,
): Read<DeliveriesWanted> {
  const problems: string[] = [];
  const endpointId = readId('ENDPOINT', typed, problems);
  const known = states.find((one) => one === state);
  if (state !== undefined && known === undefined) problems.push(`--state ${state}: give ${states.join(', ')}`);
  const seconds = readDuration('--since', since, problems);
  const limit = readNumber({ name: '--limit', text: typedLimit, low: 1, high: 10_000 }, problems);
  if (problems.length > 0 || endpointId === undefined || limit === undefined) return { problems };
  const word = known === undefined ? '' : (known.toUpperCase() as Exclude<DeliveriesWanted['state'], ''>);
  return { endpointId, state: word, since: seconds === undefined ? undefined : ago(seconds, now), limit };
}

/** One event, or all that failed since so long ago. */
export function readReplay(
  typed: string,
  { event, failedSince }: { event?: string; failedSince?: string },
  now: Date,
): Read<{ endpointId: string; eventId: string; failedSince: Date | undefined }> {
  const problems: string[] = [];
  const endpointId = readId('ENDPOINT', typed, problems);
  const eventId = readId('--event', event, problems) ?? '';
  const seconds = readDuration('--failed-since', failedSince, problems);
  if ((event === undefined) === (failedSince === undefined)) {
    problems.push('give --event ID, or --failed-since with how long ago, such as 2h');
  }
  if (problems.length > 0 || endpointId === undefined) return { problems };
  return { endpointId, eventId, failedSince: seconds === undefined ? undefined : ago(seconds, now) };
}

function ago(seconds: number, now: Date): Date {
  return new Date(now.getTime() - seconds * 1_000);
}
