import type {
  PutWebhookEndpointRequest,
  ReplayWebhookDeliveriesRequest,
} from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { isId } from '#libs/ledger/lines.js';
import { Fault, type Violation } from '#libs/refusal/fault.js';
import { unknownTypes, urlProblems } from './endpoint-rules.js';

const idWords = 'must be 1 to 128 printable ASCII characters without spaces';
/** No control character: it is shown on a line. */
const reasonForm = /^[^\p{Cc}]{1,500}$/u;

/** Throws Fault INVALID_REQUEST with everything that is wrong with it. */
export function checkPut(request: PutWebhookEndpointRequest, allowed: { allowPrivate: boolean }): void {
  const { storeId, endpointId, url, eventTypes, requestId } = request;
  const unknown = unknownTypes(eventTypes);
  refuse([
    ...wrongId('store_id', storeId),
    ...(endpointId === '' ? [] : wrongId('endpoint_id', endpointId)),
    ...urlProblems(url, allowed).map((description) => ({ field: 'url', description })),
    ...eventTypes.flatMap((type, index) =>
      unknown.includes(type)
        ? [{ field: `event_types[${index}]`, description: 'must be a type of event, order.*, waitlist.* or refund.*' }]
        : [],
    ),
    ...(new Set(eventTypes).size < eventTypes.length
      ? [{ field: 'event_types', description: 'must be told once' }]
      : []),
    ...wrongId('request_id', requestId),
  ]);
}

/** What to send again. Throws Fault INVALID_REQUEST with everything that is wrong with it. */
export function replayOf(request: ReplayWebhookDeliveriesRequest): { eventId: string } | { failedSince: Date } {
  const { endpointId, eventId, failedSince, requestId } = request;
  const isOne = (eventId === '') !== (failedSince === undefined);
  refuse([
    ...wrongId('endpoint_id', endpointId),
    ...(isOne ? [] : [{ field: 'event_id', description: 'must be given, or failed_since, and not both' }]),
    ...wrongId('request_id', requestId),
  ]);
  return failedSince === undefined ? { eventId } : { failedSince };
}

/** Throws Fault INVALID_REQUEST for ids that cannot be. */
export function checkIds(ids: Readonly<Record<string, string>>, others: readonly Violation[] = []): void {
  refuse([...Object.entries(ids).flatMap(([field, id]) => wrongId(field, id)), ...others]);
}

/** What is wrong with a reason. */
export function wrongReason(reason: string): Violation[] {
  if (reasonForm.test(reason)) return [];
  return [{ field: 'reason', description: 'must say why, in 1 to 500 characters, none of them a control character' }];
}

function wrongId(field: string, id: string): Violation[] {
  return isId(id) ? [] : [{ field, description: idWords }];
}

function refuse(violations: Violation[]): void {
  if (violations.length === 0) return;
  throw new Fault('INVALID_REQUEST', 'the request is not valid', { violations });
}
