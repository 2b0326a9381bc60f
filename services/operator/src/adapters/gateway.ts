import type { Gateway } from '../app/ports.js';
import { alertCalls } from './alerts/alert-calls.js';
import { deadLetterCalls } from './dead-letters/dead-letter-calls.js';
import { jobCalls } from './jobs/job-calls.js';
import { limitsCalls } from './limits/limits-calls.js';
import { meshCalls } from './mesh/mesh-calls.js';
import { moneyCalls } from './money/money-calls.js';
import { orderCalls } from './orders/order-calls.js';
import { reconcileCalls } from './reconcile/reconcile-calls.js';
import { releaseCalls } from './releases/release-calls.js';
import { skuCalls } from './skus/sku-calls.js';
import { storyCalls } from './stories/story-calls.js';
import { switchCalls } from './switches/switch-calls.js';
import { waitlistCalls } from './waitlist/waitlist-calls.js';
import { webhookCalls } from './webhooks/webhook-calls.js';
import type { Wire } from './wire.js';

/** Everything that the gateway is asked. */
export function gatewayOn(wire: Wire): Gateway {
  return {
    limits: limitsCalls(wire),
    switches: switchCalls(wire),
    mesh: meshCalls(wire),
    skus: skuCalls(wire),
    reconcile: reconcileCalls(wire),
    stories: storyCalls(wire),
    alerts: alertCalls(wire),
    deadLetters: deadLetterCalls(wire),
    money: moneyCalls(wire),
    orders: orderCalls(wire),
    jobs: jobCalls(wire),
    releases: releaseCalls(wire),
    waitlists: waitlistCalls(wire),
    webhooks: webhookCalls(wire),
  };
}
