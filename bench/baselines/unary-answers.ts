// Answers each unary call at once, without anything behind it.
// A process of its own: `unary-answers.js`; tells its parent its address once it serves.
import type { PlaceHoldsItem, PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { heldOrder } from './held-order.js';
import { placeHoldMethod } from './place-hold-method.js';
import { serveUnary } from './unary-server.js';

process.once('disconnect', () => process.exit());
process.send?.(await serveUnary(placeHoldMethod, placeHold));

async function placeHold(hold: PlaceHoldsItem): Promise<PlaceHoldsResult> {
  const order = heldOrder({ ...hold, notAfter: undefined });
  return { itemId: hold.itemId, outcome: { $case: 'held', value: order } };
}
