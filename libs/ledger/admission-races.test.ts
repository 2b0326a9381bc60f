import { Fault } from '#libs/refusal/fault.js';
import { barrier } from '#libs/testing/barrier.js';
import { seeded } from '#libs/testing/seeded.js';
import { assert, suite } from '#libs/testing/suite.js';
import type { ClaimToAdmit } from './claims-batch.js';
import type { Decision } from './decision.js';
import { claimOf, lineOf, orderOf, type TestLedger, testLedger } from './test-ledger.js';

const CLIENTS = 64;
const test = suite('admission races');
let db: TestLedger;

test.before(async () => {
  db = await testLedger({ max: CLIENTS });
});
test.after.each(async () => assert.equal(await db.violations(), []));
test.after(() => db.drop());

/** Gives every item to one of 64 clients, who begin at one moment and each do theirs one after the other. */
async function rush<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const clients = Math.min(CLIENTS, items.length);
  const arrive = barrier(clients);
  const results: Result[] = [];
  const work = async (client: number): Promise<void> => {
    await arrive();
    for (let place = client; place < items.length; place += clients) {
      results[place] = await act(items[place] as Item);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return results;
}

/** What a sku looked like at worst while `work` ran: most units held and sold, fewest free. */
async function watched<Result>(
  skuId: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; taken: number; free: number }> {
  let taken = 0;
  let free = Number.POSITIVE_INFINITY;
  let working = true;
  const watch = async (): Promise<void> => {
    while (working) {
      const stock = await db.stock(skuId);
      taken = Math.max(taken, stock.held + stock.sold);
      free = Math.min(free, stock.free);
    }
  };
  const stop = (): void => {
    working = false;
  };
  const [result] = await Promise.all([work().finally(stop), watch()]);
  return { result, taken, free };
}

const admit = (claim: ClaimToAdmit): Promise<Decision> => db.admit(claim);
const countOf = (decisions: readonly Decision[], kind: Decision['kind']): number =>
  decisions.filter((decision) => decision.kind === kind).length;
const users = (count: number): string[] => Array.from({ length: count }, (_, n) => `user-${n}`);

/** What the ledger must never be: looks first, and writes what it made of that later. */
async function lookThenWrite({ lines }: ClaimToAdmit): Promise<boolean> {
  const [line] = lines;
  if (!line) throw new Error('a claim has lines');
  const { free, held } = await db.stock(line.skuId);
  if (free < line.quantity) return false;
  await db.sql('UPDATE ledger.stock SET free = $2, held = $3 WHERE sku_id = $1', [
    line.skuId,
    free - line.quantity,
    held + line.quantity,
  ]);
  return true;
}

test('A01: of five hundred who want the last unit one gets it', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const claims = users(500).map((user) => claimOf(user, skuId));
  const { result: decisions, taken, free } = await watched(skuId, () => rush(claims, admit));
  assert.is(countOf(decisions, 'ORDER'), 1);
  assert.is(countOf(decisions, 'REFUSED'), 499);
  assert.equal({ taken, free }, { taken: 1, free: 0 });
});

test('a rival that looks first and writes later oversells in the same rush', async () => {
  const { skuId } = await db.sku({ capacity: 1 });
  const claims = users(CLIENTS).map((user) => claimOf(user, skuId));
  const taken = (await rush(claims, lookThenWrite)).filter(Boolean).length;
  await db.sql('UPDATE ledger.stock SET free = 1, held = 0 WHERE sku_id = $1', [skuId]);
  assert.ok(taken > 1, `${taken} took the one unit`);
});

test('A07: units of one to three never exceed the capacity, and what is held is what was said', async () => {
  const random = seeded();
  const { skuId } = await db.sku({ capacity: 50, perUserLimit: 3 });
  const claims = users(200).map((user) => claimOf(user, [lineOf(skuId, user, random.integer(1, 3))]));
  const { result: decisions, taken } = await watched(skuId, () => rush(claims, admit));
  const told = decisions.flatMap((decision) => (decision.kind === 'ORDER' ? decision.order.lines : []));
  const { held, free } = await db.stock(skuId);
  assert.is(
    held,
    told.reduce((sum, line) => sum + line.quantity, 0),
  );
  assert.is(held + free, 50);
  assert.ok(taken <= 50);
});

test('64 clients on one row with baskets, duplicates and limits: exact, and no error', async () => {
  const random = seeded();
  const hot = (await db.sku({ capacity: 120, perUserLimit: 3 })).skuId;
  const others = await Promise.all(users(6).map(() => db.sku({ capacity: 30, perUserLimit: 3 })));
  const claims = Array.from({ length: 600 }, () => {
    const user = `user-${random.integer(1, 250)}`;
    const basket = random.shuffle(others).slice(0, random.integer(0, 2));
    const skuIds = random.shuffle([hot, ...basket.map((sku) => sku.skuId)]);
    return claimOf(
      user,
      skuIds.map((skuId) => lineOf(skuId, user, random.integer(1, 2))),
    );
  });
  const batches = random
    .shuffle([...claims, ...claims.filter(() => random.chance(0.3))])
    .reduce<ClaimToAdmit[][]>((made, claim) => {
      const last = made.at(-1);
      if (last && last.length < 4) last.push(claim);
      else made.push([claim]);
      return made;
    }, []);
  const decisions = (await rush(batches, (batch) => db.ledger.claimsAdmit(batch))).flat();
  const answers = new Map<string, Set<string>>();
  for (const decision of decisions) {
    answers.set(decision.orderId, (answers.get(decision.orderId) ?? new Set()).add(JSON.stringify(decision)));
  }
  assert.is(answers.size, claims.length);
  assert.ok(
    [...answers.values()].every((different) => different.size === 1),
    'one id was answered in two ways',
  );
  assert.is(countOf(decisions, 'FAULT'), 0);
  assert.ok((await db.stock(hot)).free < 2);
});

test("F07: orders of [X, Y] and [Y, X] do not stand in each other's way", async () => {
  const [x, y] = [await db.sku({ capacity: 500 }), await db.sku({ capacity: 500 })];
  const claims = users(400).map((user, n) => {
    const lines = [lineOf(x.skuId, user), lineOf(y.skuId, user)];
    return claimOf(user, n % 2 === 0 ? lines : lines.reverse());
  });
  assert.is(countOf(await rush(claims, admit), 'ORDER'), 400);
  assert.is((await db.stock(x.skuId)).held, 400);
  assert.is((await db.stock(y.skuId)).held, 400);
});

test('one id for different skus at the same moment is one order, and the other is told', async () => {
  const [x, y] = [await db.sku({ capacity: 500 }), await db.sku({ capacity: 500 })];
  const claims = users(100).flatMap((user) => {
    const claim = claimOf(user, x.skuId);
    return [claim, { ...claim, lines: [lineOf(y.skuId, user)] }];
  });
  const decisions = await rush(claims, admit);
  assert.is(countOf(decisions, 'ORDER'), 100);
  assert.is(
    decisions.filter((decision) => decision.kind === 'FAULT' && decision.reason === 'REQUEST_ID_REUSED').length,
    100,
  );
  assert.is((await db.stock(x.skuId)).held + (await db.stock(y.skuId)).held, 100);
});

test('K02: one person with fifty keys and a cancel in between has one unit', async () => {
  const { skuId } = await db.sku({ capacity: 50 });
  const first = await db.order(claimOf('ann', skuId));
  const order = (): Promise<Decision> => db.admit(claimOf('ann', skuId));
  const cancelAndOrder = (): Promise<Decision> => db.ledger.orderCancel({ orderId: first.orderId }).then(order);
  const acts = Array.from({ length: 50 }, (_, n) => (n === 25 ? cancelAndOrder : order));
  const decisions = await rush(acts, (act) => act());
  assert.is(countOf(decisions, 'ORDER'), 1);
  assert.is((await db.stock(skuId)).held, 1);
});

test('K06: capacity that is raised during the rush is sold to the last unit, by differences', async () => {
  const { skuId } = await db.sku({ capacity: 100 });
  const restock = async (): Promise<void> => {
    for (;;) {
      const { overbooked: _, etag, ...sku } = (await db.ledger.skuGet(skuId)).sku;
      try {
        await db.ledger.skuPut({ ...sku, capacity: sku.capacity + 5 }, etag);
        return;
      } catch (error) {
        if (!(error instanceof Fault && error.reason === 'ETAG_MISMATCH')) throw error;
      }
    }
  };
  const buyers = users(500).map((user) => claimOf(user, skuId));
  const acts = buyers.map(
    (claim, n) => (): Promise<unknown> => (n % 70 === 50 && n < 300 ? restock() : db.admit(claim)),
  );
  await rush(acts, (act) => act());
  // Whoever came before the last units did comes again.
  const decisions = await db.ledger.claimsAdmit(buyers.slice(0, 300).map((claim) => claimOf(claim.userId, skuId)));
  assert.ok(countOf(decisions, 'REFUSED') > 0);
  const { capacity, free, held } = await db.stock(skuId);
  assert.equal({ capacity, free, held }, { capacity: 120, free: 0, held: 120 });
});

test('K08: what is looked at is what is taken from: once none is free nobody gets one', async () => {
  const { skuId } = await db.sku({ capacity: 20, perUserLimit: 20, maxPerOrder: 20 });
  orderOf(await db.admit(claimOf('ann', [lineOf(skuId, 'ann', 20)])));
  const decisions = await rush(
    users(64).map((user) => claimOf(user, skuId)),
    admit,
  );
  assert.is(countOf(decisions, 'REFUSED'), 64);
  assert.is((await db.stock(skuId)).free, 0);
});

test('F08: orders, cancels, payments, expiry and edits of one sku mix without an error', async () => {
  const random = seeded();
  const skus = await Promise.all(users(3).map(() => db.sku({ capacity: 60, perUserLimit: 100 })));
  const born: string[] = [];
  const acts = {
    order: async () => {
      const user = `user-${random.integer(1, 40)}`;
      const decision = await db.admit(
        claimOf(
          user,
          random
            .shuffle(skus)
            .slice(0, 2)
            .map((sku) => lineOf(sku.skuId, user)),
        ),
      );
      if (decision.kind === 'ORDER') born.push(decision.orderId);
    },
    cancel: async () => void (born.length > 0 && (await db.ledger.orderCancel({ orderId: random.pick(born) }))),
    pay: async () => {
      if (born.length === 0) return;
      const orderId = random.pick(born);
      const payment = { provider: 'bank', providerPaymentId: `${orderId}-${random.integer(1, 2)}` };
      await db.ledger.paymentConfirm({ orderId, ...payment, amountMinor: 3_000, currency: 'EUR' });
    },
    expire: async () => {
      if (born.length > 0)
        await db.sql(`UPDATE ledger.orders SET expires_at = now() WHERE state = 'HELD' AND order_id = $1`, [
          random.pick(born),
        ]);
      await db.ledger.ordersExpire(10);
    },
    edit: async () => {
      const { overbooked: _, etag, ...sku } = (await db.ledger.skuGet(random.pick(skus).skuId)).sku;
      await db.ledger.skuPut({ ...sku, capacity: sku.capacity + 1 }, etag).catch((error: unknown) => {
        if (!(error instanceof Fault && error.reason === 'ETAG_MISMATCH')) throw error;
      });
    },
  };
  const kinds = ['order', 'order', 'order', 'cancel', 'pay', 'expire', 'edit'] as const;
  await rush(
    Array.from({ length: 700 }, () => random.pick(kinds)),
    (kind) => acts[kind](),
  );
  assert.ok(born.length > 100);
  // The test moved deadlines behind the orders' back: the lines follow, and the audit sees the rest.
  await db.sql(
    'UPDATE ledger.order_lines AS l SET held_until = o.expires_at FROM ledger.orders AS o WHERE o.order_id = l.order_id',
  );
});

test.run();
