import type { StockSetting } from '#libs/ledger/switches.js';
import { assert, suite } from '#libs/testing/suite.js';
import { SaleScene, type Trouble } from './sale-scene.js';

const test = suite('the stream is away in the middle of a sale');
let sale: SaleScene;

test.before(async () => {
  // A stream with room for two messages is full as soon as nobody consumes it.
  sale = await SaleScene.open({ orderEnv: { CLAIMS_MAX_MESSAGES: '2', CLAIMS_ACK_WAIT_MS: '1000' } });
});
test.after(() => sale.close());

const troubles: Record<string, Trouble> = {
  'NATS is killed': {
    fault: ({ scene }) => scene.nats.kill(),
    heal: ({ scene }) => scene.nats.start(),
  },
  'NATS stands still': {
    fault: ({ scene }) => scene.nats.freeze(),
    heal: ({ scene }) => scene.nats.thaw(),
  },
  'D05: acknowledgements of the stream are lost': {
    fault: ({ nats }) => nats.dropReplies(),
    heal: ({ nats }) => nats.heal(),
  },
  'D10: nobody consumes, and the stream is full': {
    fault: ({ order }) => order.link('nats').blackhole(),
    heal: ({ order }) => order.link('nats').heal(),
  },
  'the order service is killed': {
    fault: ({ order }) => order.kill(),
    heal: ({ order }) => order.restart(),
  },
};

for (const [what, trouble] of Object.entries(troubles)) {
  test(`${what}: the sale goes on, everybody is told the truth, and the stream is in use again`, async () => {
    await sale.sellsOn(trouble);
    await sale.isMended();
  });
}

test('the stock path is switched back and forth in the middle of a sale: nobody is told anything but the truth', async () => {
  const { ledger } = sale.scene.ledger;
  const switchTo = async (setting: StockSetting, expectedVersion: number): Promise<void> => {
    const scope = { kind: 'ALL', storeId: '', skuId: '' };
    const change = { name: 'STOCK_PATH' as const, scope, setting, expectedVersion, expiresInSeconds: 0 };
    await ledger.switchSet({ ...change, reason: 'a test', setBy: 'ann', requestId: `switch-${expectedVersion}` });
    const path = setting === 'POSTGRES' ? 2 : 1;
    await sale.sees(({ stock }) => stock?.stockPath === path);
  };
  let flipping = Promise.resolve();
  const flip = async (): Promise<void> => {
    for (let flips = 0; flips < 6; flips += 1) await switchTo(flips % 2 === 0 ? 'POSTGRES' : 'AUTO', flips);
  };
  await sale.sellsOn({
    fault() {
      flipping = flip();
    },
    heal: () => flipping,
  });
  const { changes } = await ledger.controlChangesList(undefined, {});
  assert.equal(
    changes.map(({ was, became }) => `${was} ${became}`).join(),
    Array(3).fill('POSTGRES AUTO,AUTO POSTGRES').join(),
  );
  await sale.isMended();
});

test.run();
