import { assert, suite } from '#libs/testing/suite.js';
import { SmallMesh } from './small-mesh.js';

const test = suite('Postgres and Redis');
let mesh: SmallMesh;

test.before(async () => {
  mesh = await SmallMesh.start(['nats']);
});
test.after(() => mesh.stop());

test('a crowd that is limited is sold exactly what there is', async () => {
  assert.equal(mesh.servers, ['postgres', 'redis']);
  assert.equal(await mesh.crowd('class', 'CONFIGURED'), []);
});

test('every process is ready, and nobody misses NATS', async () => {
  assert.equal(await mesh.unready(), []);
  assert.equal(mesh.complaints(), []);
});

test.run();
