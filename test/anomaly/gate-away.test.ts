import { suite } from '#libs/testing/suite.js';
import { SaleScene, type Trouble } from './sale-scene.js';

const test = suite('the gate is away in the middle of a sale');
let sale: SaleScene;

test.before(async () => {
  sale = await SaleScene.open();
});
test.after(() => sale.close());

const troubles: Record<string, Trouble> = {
  'E04: Redis is killed': {
    fault: ({ scene }) => scene.redis.kill(),
    heal: ({ scene }) => scene.redis.start(),
  },
  'E04: Redis stands still': {
    fault: ({ scene }) => scene.redis.freeze(),
    heal: ({ scene }) => scene.redis.thaw(),
  },
  'G01: Redis answers after 600 ms': {
    fault: ({ redis }) => redis.delay(300),
    heal: ({ redis }) => redis.heal(),
  },
  'E13: replies of Redis are lost': {
    fault: ({ redis }) => redis.dropReplies(),
    heal: ({ redis }) => redis.heal(),
  },
  'E13: Redis is paused, and runs afterwards what it was sent': {
    fault: ({ scene }) => scene.journal.command('CLIENT', 'PAUSE', '2000', 'ALL'),
    heal: () => undefined,
  },
  'E05: Redis is demoted and takes no writes': {
    fault: ({ scene }) => scene.journal.command('REPLICAOF', '127.0.0.1', '1'),
    heal: ({ scene }) => scene.journal.command('REPLICAOF', 'NO', 'ONE'),
  },
  'E09: the gates are deleted': {
    fault: ({ scene }) => scene.journal.forgetGates(),
    heal: ({ scene }) => scene.journal.forgetGates(),
  },
};

for (const [what, trouble] of Object.entries(troubles)) {
  test(`${what}: the sale goes on, everybody is told the truth, and the gate is in use again`, async () => {
    await sale.sellsOn(trouble);
    await sale.isMended();
  });
}

test.run();
