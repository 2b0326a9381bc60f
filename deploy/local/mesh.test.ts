import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMeshFile } from '#libs/mesh/mesh-file.js';
import { isAlive } from '#libs/servers/process-table.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { runRush } from '../rush/rush.js';
import { scenarioNamed } from '../rush/scenarios/scenarios.js';
import { type Mesh, startMesh } from './mesh.js';

const test = suite('mesh');
let directory: string;
let mesh: Mesh;

test.before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-mesh-'));
  chmodSync(directory, 0o755);
  mesh = await startMesh({ directory, scale: { order: 2 }, sandbox: true, restartServers: true });
});
test.after(async () => {
  await mesh.stop();
  rmSync(directory, { recursive: true });
});

const pids = (): number[] => {
  const { services, infra } = mesh.describe();
  return [...Object.values(services).flat(), ...Object.values(infra)].map((one) => one.pid ?? 0);
};

test('mesh.json names every process, and each of them lives and is ready', async () => {
  const file = readMeshFile(directory);
  assert.equal(file, mesh.describe());
  const { services = {}, infra } = file ?? {};
  assert.equal(
    Object.entries(services).map(([name, processes]) => [name, processes.length]),
    [
      ['inventory', 1],
      ['order', 2],
      ['scheduler', 1],
      ['webhook', 1],
      ['gateway', 1],
      ['bff', 1],
      ['sandbox', 1],
    ],
  );
  assert.equal(Object.keys(infra ?? {}), ['postgres', 'redis', 'nats']);
  assert.ok(pids().every(isAlive));
  for (const { admin } of Object.values(services).flat()) {
    assert.ok((await fetch(`http://${admin}/readyz`)).ok, admin);
  }
});

test('a second mesh in the same directory is refused and leaves the first alone', async () => {
  const error = await startMesh({ directory }).catch((reason: Error) => reason);
  assert.match(String(error), 'a mesh already runs');
  assert.equal(readMeshFile(directory), mesh.describe());
});

test('a service that is killed comes back on its addresses, and mesh.json names its new process', async () => {
  const [before] = mesh.describe().services.inventory ?? [];
  await mesh.kill('inventory');
  await until(() => readMeshFile(directory)?.services.inventory?.[0]?.pid !== before?.pid, { timeoutMs: 20_000 });
  const [after] = mesh.describe().services.inventory ?? [];
  assert.equal([after?.grpc, after?.admin], [before?.grpc, before?.admin]);
  await mesh.ready();
});

test('a private server that dies comes back on its port, and mesh.json names its new process', async () => {
  const { url, pid = 0 } = mesh.describe().infra.redis ?? {};
  process.kill(pid, 'SIGKILL');
  const after = await until(
    () => {
      const redis = readMeshFile(directory)?.infra.redis;
      return redis?.pid === pid ? undefined : redis;
    },
    { timeoutMs: 20_000 },
  );
  assert.is(after.url, url);
  assert.ok(isAlive(after.pid ?? 0));
  await mesh.ready();
});

test('a crowd at the HTTP edge is sold exactly what there is, and the verdict says so', async () => {
  const scenario = scenarioNamed('class', 1);
  assert.ok(scenario);
  const { report, verdict } = await runRush({ mesh: mesh.describe(), scenario, terminal: process.stderr });
  assert.equal(verdict.failures, []);
  assert.equal([report.held, report.orders, report.refused, report.conserved], [6, 6, 54, true]);
});

test('so is one that comes through the gateway with the client', async () => {
  const scenario = scenarioNamed('class', 2);
  assert.ok(scenario);
  const options = { mesh: mesh.describe(), scenario, through: 'gateway', terminal: process.stderr } as const;
  const { report, verdict } = await runRush(options);
  assert.equal(verdict.failures, []);
  assert.equal([report.held, report.orders, report.refused, report.conserved], [6, 6, 54, true]);
});

test('a mesh that stops takes every process and its mesh.json with it', async () => {
  const all = pids();
  await mesh.stop();
  assert.is(readMeshFile(directory), undefined);
  await until(() => !all.some(isAlive));
});

test.run();
