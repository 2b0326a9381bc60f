import {
  type ExplainOrderResponse,
  ExplainServiceDefinition,
} from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import type { Order } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import type { Client } from '#libs/rpc/client.js';
import type { Handlers } from '#libs/rpc/service.js';
import type { Inventory } from '../app/ports.js';
import { rowOrClaim } from '../app/row-or-claim.js';
import { refuseIfAny } from '../domain/fields.js';
import { validateOrderId } from '../domain/validate-requests.js';
import { forwardTo } from './forward.js';
import { ifFound } from './inner-calls.js';

/** Stories are the order service's to tell; of an order without a row the journal knows the beginning. */
export function explainHandlers(
  client: Client<ExplainServiceDefinition>,
  inventory: Pick<Inventory, 'findClaim'>,
): Handlers<ExplainServiceDefinition> {
  const forwarded = forwardTo(ExplainServiceDefinition, client);
  return {
    ...forwarded,
    async explainOrder(request, call) {
      refuseIfAny(validateOrderId(request));
      const found = await rowOrClaim(
        request.orderId,
        () => ifFound(forwarded.explainOrder(request, call)),
        () => inventory.findClaim(request.orderId, call),
      );
      return 'row' in found ? found.row : beginningOf(found.claim);
    },
  };
}

/** What is known of a claim whose caller was promised a decision. When it was made the journal does not say. */
function beginningOf(order: Order): ExplainOrderResponse {
  const text = 'the gate let it in and its caller was told PENDING; the ledger has not decided it yet';
  return { order, events: [{ at: undefined, orderId: order.orderId, what: 'CLAIMED', text }] };
}
