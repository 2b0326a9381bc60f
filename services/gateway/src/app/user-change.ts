import type { CallerRole } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import type { MessageType } from '#libs/rpc/definition.js';
import type { OrderChange } from './change-order.js';
import { findOwnClaim } from './find-order.js';
import type { Caller, Peers } from './ports.js';
import { rowOf, rowOrClaim } from './row-or-claim.js';

/** What somebody asks of an order: its user, staff of its store, or an operator by name. */
export interface AskedByUser {
  readonly orderId: string;
  readonly userId: string;
  /** Absent: the user. */
  readonly role?: CallerRole | undefined;
  readonly requestId: string;
}

interface UserChange<Request, Response> {
  readonly method: string;
  readonly responseType: MessageType<Response>;
  /** What makes it this change and no other, besides the order. */
  meaningOf(request: Request): readonly (string | number)[];
  /** Undefined: the order has no row. */
  ask(request: Request, caller: Caller): Promise<Response | undefined>;
}

/** A change that the user of the order asks for, staff of its store, or an operator. An order that is not decided yet is ORDER_PENDING. */
export function userChange<Request extends AskedByUser, Response>(
  peers: Peers,
  change: UserChange<Request, Response>,
): OrderChange<Request, Response> {
  return {
    method: change.method,
    responseType: change.responseType,
    userOf: ({ userId }) => userId,
    isPaidByUser: true,
    meaningOf: (request) => [request.orderId, request.role ?? 0, ...change.meaningOf(request)],
    async carryOut(request, caller) {
      const found = await rowOrClaim(
        request.orderId,
        () => change.ask(request, caller),
        () => findOwnClaim(peers, request, caller),
      );
      return rowOf(found);
    },
  };
}
