import { accessCalls } from './access.js';
import { alertCalls } from './alerts.js';
import { auditCalls } from './audit.js';
import { backlogCalls } from './backlog.js';
import { cancelledSaleCalls } from './cancelled-sales.js';
import { claimCalls } from './claims.js';
import { controlChangeCalls } from './control-changes.js';
import { deadLetterDeskCalls } from './dead-letter-desk.js';
import { deadLetterCalls } from './dead-letters.js';
import { decisionCalls } from './decisions.js';
import { explainCalls } from './explain.js';
import { jobCalls } from './jobs.js';
import { clockCalls } from './ledger-clock.js';
import type { LedgerPool } from './ledger-pool.js';
import { limitCalls } from './limits.js';
import { moneyCalls } from './money.js';
import { moneyIssueCalls } from './money-issues.js';
import { movementCalls } from './movements.js';
import { orderChangeCalls } from './order-changes.js';
import { orderLifeCalls } from './order-life.js';
import { orderMoveCalls } from './order-move.js';
import { orderCalls } from './orders.js';
import { outboxCalls } from './outbox.js';
import { overbookedCalls } from './overbooked.js';
import { parkedCalls } from './parked.js';
import { attemptCalls } from './payment-attempts.js';
import { paymentCalls } from './payments.js';
import { reconcileCalls } from './reconcile.js';
import { lookCalls } from './reconcile-looks.js';
import { planCalls } from './reconcile-plans.js';
import { skuControlCalls } from './sku-control.js';
import { skuImportCalls } from './sku-imports.js';
import { proofCalls } from './sku-proof.js';
import { skuCalls } from './skus.js';
import { switchCalls } from './switches.js';
import { waitlistCalls } from './waitlist.js';
import { waitlistDeskCalls } from './waitlist-desk.js';
import { webhookDeskCalls } from './webhook-desk.js';
import { webhookCalls } from './webhooks.js';

/** Where the migrations and functions of the ledger are, for the migrator. */
export const ledgerSchema = {
  directory: new URL('./migrations/', import.meta.url),
  functions: new URL('./functions/', import.meta.url),
};

/** The role the services run as: it reads everything and calls the functions, and writes nothing. */
export const RUNTIME_ROLE = 'holdfast_runtime';

/** Every call of the ledger: the only way to change stock and orders. */
export type Ledger = ReturnType<typeof openLedger>;

/** Binds every call to a pool. It opens nothing: the pool does, and is closed by who made it. */
export function openLedger(pool: LedgerPool) {
  return {
    ...claimCalls(pool),
    ...deadLetterCalls(pool),
    ...deadLetterDeskCalls(pool),
    ...parkedCalls(pool),
    ...orderCalls(pool),
    ...orderChangeCalls(pool),
    ...orderLifeCalls(pool),
    ...orderMoveCalls(pool),
    ...movementCalls(pool),
    ...paymentCalls(pool),
    ...attemptCalls(pool),
    ...moneyCalls(pool),
    ...moneyIssueCalls(pool),
    ...skuCalls(pool),
    ...skuImportCalls(pool),
    ...skuControlCalls(pool),
    ...cancelledSaleCalls(pool),
    ...overbookedCalls(pool),
    ...limitCalls(pool),
    ...outboxCalls(pool),
    ...jobCalls(pool),
    ...clockCalls(pool),
    ...auditCalls(pool),
    ...backlogCalls(pool),
    ...explainCalls(pool),
    ...accessCalls(pool),
    ...alertCalls(pool),
    ...switchCalls(pool),
    ...controlChangeCalls(pool),
    ...reconcileCalls(pool),
    ...lookCalls(pool),
    ...proofCalls(pool),
    ...planCalls(pool),
    ...decisionCalls(pool),
    ...waitlistCalls(pool),
    ...waitlistDeskCalls(pool),
    ...webhookCalls(pool),
    ...webhookDeskCalls(pool),
  };
}
