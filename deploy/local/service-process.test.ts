import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '#libs/servers/free-port.js';
import { isAlive } from '#libs/servers/process-table.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { ServiceProcess } from './service-process.js';
import type { ProcessPlan } from './topology.js';

const test = suite('service process');

/** A service that is ready at once and does nothing. */
const IDLE = `
import { createServer } from 'node:http';
const port = Number(process.env.ADMIN_ADDRESS.split(':')[1]);
createServer((request, response) => response.end('ok')).listen(port, '127.0.0.1', () => console.log('up as', process.pid));
process.on('SIGTERM', () => process.exit(0));
`;

let directory: string;
let heard: string[];
let back: number;
let running: ServiceProcess[];

test.before.each(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-process-'));
  [heard, back, running] = [[], 0, []];
});
test.after.each(async () => {
  await Promise.all(running.map((one) => one.stop()));
  rmSync(directory, { recursive: true });
});

async function planFor(code: string): Promise<ProcessPlan> {
  const program = join(directory, 'service.mjs');
  writeFileSync(program, code);
  const admin = `127.0.0.1:${await freePort()}`;
  return { service: 'order', index: 0, name: 'order-1', program, admin, env: { ADMIN_ADDRESS: admin } };
}

async function started(code: string): Promise<ServiceProcess> {
  const one = new ServiceProcess(await planFor(code), {
    onLine: (name, line) => heard.push(`${name} ${line}`),
    report: (line) => heard.push(line),
    onBack: () => {
      back += 1;
    },
  });
  running.push(one);
  one.start();
  return one;
}

test('a process that dies is started again where it was, and says so when it is ready', async () => {
  const one = await started(IDLE);
  await one.ready(10_000);
  const first = one.pid;
  await one.kill('SIGKILL');
  await until(() => back === 1);
  assert.not.equal(one.pid, first);
  assert.ok((await fetch(`http://${one.plan.admin}/readyz`)).ok);
  assert.ok(heard.some((line) => line.startsWith('order-1 died (SIGKILL)')));
  assert.ok(heard.includes(`order-1 up as ${one.pid}`));
});

test('a process that is stopped stays so', async () => {
  const one = await started(IDLE);
  await one.ready(10_000);
  await one.stop();
  assert.is(one.pid, 0);
  assert.not(heard.some((line) => line.includes('died')));
});

test('one that dies again and again before it is ready is given up with its last words', async () => {
  const one = await started("console.error('DATABASE_URL is not set');process.exit(1);");
  const error = await one.ready(60_000).catch((reason: Error) => reason);
  assert.match(String(error), 'order-1 is not ready');
  assert.match(String(error), 'DATABASE_URL is not set');
});

test('a service ends when the process that started it is killed', async () => {
  const plan = await planFor(IDLE);
  const parentProgram = join(directory, 'parent.mjs');
  const module = fileURLToPath(new URL('./service-process.js', import.meta.url));
  writeFileSync(
    parentProgram,
    `import { ServiceProcess } from ${JSON.stringify(module)};
const one = new ServiceProcess(${JSON.stringify(plan)}, { onLine() {}, report() {}, onBack() {} });
one.start();
await one.ready(10_000);
console.log(one.pid);`,
  );
  const parent = spawn(process.execPath, [parentProgram], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)));
  assert.ok(isAlive(pid));
  parent.kill('SIGKILL');
  await until(() => !isAlive(pid), { describe: 'the service noticed' });
});

test.run();
