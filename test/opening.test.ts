import { PaymentIssue } from '#libs/contracts/gen/holdfast/order/v1/payment.js';
import { orderId } from '#libs/contracts/order-id.js';
import { Fault } from '#libs/refusal/fault.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('opening');
let mesh: TestMesh;

test.before(async () => {
  mesh = await startTestMesh({ gateways: 2, inventories: 2 });
});
test.after(() => mesh.close());

/** One answer, and the ledger's time before it was asked for. */
interface Attempt {
  askedAt: number;
  /** When the order was born, or undefined with what the refusal said. */
  heldAt?: number;
  opensAt?: number;
}

async function ledgerNow(): Promise<number> {
  const [row] = await mesh.ledger.sql<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row?.now.getTime() ?? Number.NaN;
}

/** Asks with one key until it is held. */
async function askUntilHeld(ask: () => Promise<Omit<Attempt, 'askedAt'>>): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (;;) {
    const askedAt = await ledgerNow();
    const attempt = { askedAt, ...(await ask()) };
    attempts.push(attempt);
    if (attempt.heldAt !== undefined) return attempts;
  }
}

function askGateway(index: number, skuId: string, requestId = 'key') {
  return async (): Promise<Omit<Attempt, 'askedAt'>> => {
    const lines = [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }];
    const { outcome } = await mesh
      .gatewayAt(index)
      .reserve({ storeId: 'store-1', requestId, lines }, { metadata: { authorization: bearerOf(`user-${index}`) } });
    if (outcome?.$case === 'held') return { heldAt: outcome.value.order?.createdAt?.getTime() ?? Number.NaN };
    assert.ok(outcome?.$case === 'refused');
    return { opensAt: outcome.value.refusal?.opensAt?.getTime() ?? Number.NaN };
  };
}

function askEdge(skuId: string) {
  return async (): Promise<Omit<Attempt, 'askedAt'>> => {
    const response = await fetch(`${mesh.http}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: bearerOf('ana'), 'idempotency-key': 'key' },
      body: JSON.stringify({ store_id: 'store-1', lines: [{ sku_id: skuId, quantity: 1 }] }),
    });
    const body = (await response.json()) as Record<string, string>;
    if (response.status === 201) return { heldAt: Date.parse(body.created_at ?? '') };
    assert.equal([response.status, body.reason], [409, 'NOT_ON_SALE']);
    return { opensAt: Date.parse(body.opens_at ?? '') };
  };
}

test('K04: until the opening nobody has it, by no instance; from that instant the same keys do', async () => {
  const opensAt = (await ledgerNow()) + 1_500;
  const { skuId } = await mesh.ledger.sku({ capacity: 10, onSaleAt: new Date(opensAt) });
  const askers = [askGateway(0, skuId), askGateway(1, skuId), askEdge(skuId)];
  const attempts = (await Promise.all(askers.map(askUntilHeld))).flat();
  for (const attempt of attempts) {
    if (attempt.heldAt === undefined) {
      assert.is(attempt.opensAt, opensAt);
      assert.ok(attempt.askedAt < opensAt, `refused although asked ${attempt.askedAt - opensAt} ms after the opening`);
    } else {
      assert.ok(attempt.heldAt >= opensAt, `held ${opensAt - attempt.heldAt} ms before the opening`);
    }
  }
  assert.ok(attempts.length > askers.length, 'somebody asked before the opening');
});

test('K04: an id that was guessed leads nowhere before the opening', async () => {
  const { skuId } = await mesh.ledger.sku({ onSaleAt: new Date(Date.now() + 3_600_000) });
  const { heldAt } = await askGateway(0, skuId, 'guessed')();
  assert.is(heldAt, undefined);
  const guess = { orderId: orderId('store-1', 'user-0', 'guessed') };
  const who = { metadata: { authorization: bearerOf('user-0') } };
  assert.is((await rejectionOf(mesh.gatewayAt(0).getOrder(guess, who), Fault)).reason, 'ORDER_NOT_FOUND');
  const payment = { ...guess, provider: 'p', providerPaymentId: 'pi', amountMinor: 1, currency: 'EUR', requestId: 'k' };
  // Its money waits for an order, and makes none.
  const { order, issue } = await mesh
    .gatewayAt(1)
    .confirmPayment(payment, { metadata: { authorization: bearerOf('edge', { role: 'SERVICE' }) } });
  assert.equal([order, issue], [undefined, PaymentIssue.PAYMENT_ISSUE_UNKNOWN_ORDER]);
  assert.is((await rejectionOf(mesh.gatewayAt(0).getOrder(guess, who), Fault)).reason, 'ORDER_NOT_FOUND');
});

test.run();
