import { orderId } from '#libs/contracts/order-id.js';
import type { Decision } from '#libs/ledger/decision.js';
import type { TriedClaim } from './claims.js';
import { ask, type Flow } from './flow.js';
import { unknown } from './gateway.js';
import type { Attempted, Inventory } from './inventory.js';
import type { Mesh } from './mesh.js';
import { noTo } from './stock.js';

/** Between two tries while the ledger is away. */
const RETRY_MS = 100;

/** Straight to the ledger, as admit-directly.ts does it: an unknown outcome is asked again until the caller's time is up. */
export class DirectAdmission {
  constructor(
    private readonly mesh: Mesh,
    private readonly inventory: Inventory,
  ) {}

  add(placement: Attempted, record = true): void {
    if (placement.answered) return;
    placement.leftTrace = true;
    this.inventory.spawn('admitting', placement, this.#admit(placement, record));
  }

  *#admit(placement: Attempted, record: boolean): Flow {
    const { ledger, rules, world } = this.mesh;
    const how = { record, notAfterMs: placement.notAfter.getTime() };
    const claim = rules.has('fresh-order-id') && !placement.letIn ? renamed(placement.claim) : placement.claim;
    while (!placement.answered) {
      try {
        const decision = rules.has('read-then-write')
          ? yield* this.#readThenWrite(claim)
          : yield* ask('LEDGER', () => ledger.admit(claim, how));
        world.note?.(`${this.inventory.process.name}: admission says ${wordsOf(decision)} to ${claim.by.person.name}`);
        return this.inventory.decided(placement, decision);
      } catch {
        if (rules.has('timeout-is-a-no')) return this.#compensate(placement);
        yield* world.pause(this.inventory.process, RETRY_MS);
      }
    }
  }

  *#readThenWrite(claim: TriedClaim): Flow<Decision> {
    const { ledger, world } = this.mesh;
    const skus = yield* ask('LEDGER', () => new Map(ledger.stockRead().map((stock) => [stock.skuId, stock])));
    const no = noTo(skus, claim.lines, world.nowMs);
    return yield* ask('LEDGER', () => (no ? ledger.admit(claim, { record: true }) : ledger.takeUnchecked(claim)));
  }

  #compensate(placement: Attempted): void {
    const { ledger } = this.mesh;
    const row = ledger.rowOf(placement.claim.orderId) ?? ledger.rows[0];
    if (row) ledger.giveBackUnchecked(placement.claim.lines, row);
    placement.answer(unknown);
  }
}

function renamed(claim: TriedClaim): TriedClaim {
  return { ...claim, orderId: orderId(claim.storeId, claim.userId, `${claim.requestId} again`) };
}

function wordsOf(decision: Decision): string {
  if (decision.kind === 'ORDER') return decision.order.state;
  if (decision.kind === 'WAITLISTED') return decision.kind;
  return decision.kind === 'REFUSED' ? decision.refusal.reason : decision.reason;
}
