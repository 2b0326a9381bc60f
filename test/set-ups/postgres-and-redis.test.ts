import { assert, suite } from '#libs/testing/suite.js';
import { SmallMesh } from './small-mesh.js';

const test = suite('Postgres and Redis');
let mesh: SmallMesh;

test.before(async () => {
  mesh = await SmallMesh.start(['nats']);
});
test.after(() => mesh.stop());

test('a crowd is sold exactly what there is, with limits and without', async () => {
  assert.equal(mesh.servers, ['postgres', 'redis']);
  for (const limits of ['OFF', 'CONFIGURED'] as const) assert.equal(await mesh.crowd('class', limits), [], limits);
});

test('every process is ready, and nobody misses NATS', async () => {
  assert.equal(await mesh.unready(), []);
  assert.equal(mesh.complaints(), []);
});

test.run();
