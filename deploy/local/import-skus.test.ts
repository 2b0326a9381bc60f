import type { ImportSkusRequest } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { startServer } from '#libs/rpc/server.js';
import { standIn } from '#libs/rpc/stand-in.js';
import { toStatus } from '#libs/rpc/status.js';
import { createLogger } from '#libs/runtime/logger.js';
import { assert, suite } from '#libs/testing/suite.js';
import { importSkus } from './import-skus.js';

const test = suite('import of skus');

const mug = { skuId: 'mug', storeId: 'kiln', title: 'Mug', capacity: 3 };
const fine = { created: 1, changed: 0, unchanged: 0, failures: [] };
const failed = (fault: Fault) => ({
  ...fine,
  failures: [{ position: 0, skuId: 'mug', error: toStatus(fault) }],
});

type Said = Fault | typeof fine | ReturnType<typeof failed>;

/** Imports through an inventory that answers so, the last answer over and over; gives the titles that each try brought. */
async function imported(answers: Said[]): Promise<{ tries: string[][]; rejection: Error | undefined }> {
  const tries: string[][] = [];
  const service = standIn({
    async importSkus(requests: AsyncIterable<ImportSkusRequest>) {
      const titles: string[] = [];
      for await (const { skus } of requests) titles.push(...skus.map(({ title }) => title));
      tries.push(titles);
      const answer = answers[Math.min(tries.length, answers.length) - 1];
      if (answer === undefined || answer instanceof Fault) throw answer;
      return answer;
    },
  });
  const logger = createLogger('inventory', 'silent');
  const server = await startServer({ address: '127.0.0.1:0', services: [service], logger, drainMs: 50 });
  server.serving(true);
  try {
    const rejection = await importSkus(server.address, [mug]).then(
      () => undefined,
      (error: Error) => error,
    );
    return { tries, rejection };
  } finally {
    await server.drain();
  }
}

test('an inventory that is away for a moment is asked again, with all of it', async () => {
  const away = new Fault('UNAVAILABLE', 'back soon');
  const { tries, rejection } = await imported([away, failed(away), fine]);
  assert.is(rejection, undefined);
  assert.equal(tries, [['Mug'], ['Mug'], ['Mug']]);
});

test('a sku that is wrong is not tried again', async () => {
  const { tries, rejection } = await imported([failed(new Fault('INVALID_REQUEST', 'no such currency'))]);
  assert.match(rejection?.message ?? '', '1 skus were not imported; mug: no such currency');
  assert.is(tries.length, 1);
  const closed = await imported([new Fault('PERMISSION_DENIED', 'not you')]);
  assert.match(closed.rejection?.message ?? '', 'not you');
  assert.is(closed.tries.length, 1);
});

test.run();
