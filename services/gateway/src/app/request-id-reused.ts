import { Fault } from '#libs/refusal/fault.js';

/** What a second request under the id of a first one is told. `orderId` is the order of the first, when it was a reservation. */
export function requestIdReused(orderId?: string): Fault {
  return new Fault(
    'REQUEST_ID_REUSED',
    'This request id was used for another request: the first answer is still told to the first request, and another ' +
      'request needs a new request id',
    orderId === undefined ? {} : { metadata: { order_id: orderId } },
  );
}
