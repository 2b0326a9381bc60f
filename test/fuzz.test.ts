import { assert, suite } from '#libs/testing/suite.js';
import { runFuzz } from '../deploy/fuzz/fuzz.js';
import { onPrivateMesh } from '../deploy/fuzz/private-mesh.js';

const test = suite('fuzz');

test('of three thousand random bodies, frames and bytes none crashes a process, moves a unit untold or meets an unexplained error', async () => {
  await onPrivateMesh(
    () => {},
    async (mesh) => {
      const { report, findings } = await runFuzz({ mesh: () => mesh.describe(), count: 3_000, seed: 7 });
      assert.equal(findings.kept, []);
      assert.is(report.sent, 3_000);
      assert.ok(report.orders_told > 0, 'nothing was sold: the fuzz met no path that moves units');
    },
  );
});

test.run();
