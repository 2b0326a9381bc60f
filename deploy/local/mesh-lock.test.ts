import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { lockDirectory } from './mesh-lock.js';

const test = suite('mesh lock');
let directory: string;

test.before.each(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
});
test.after.each(() => rmSync(directory, { recursive: true }));

test('a second mesh in the directory of a living one is refused with its process', () => {
  const unlock = lockDirectory(directory);
  assert.throws(
    () => lockDirectory(directory),
    (error: Error) => error.message.includes(`process ${process.pid}`),
  );
  unlock();
  lockDirectory(directory)();
  assert.equal(readdirSync(directory), []);
});

test('what a dead process left is taken over, also when its number has gone to another program', () => {
  for (const left of ['', '999999999\nnode gone\n', `${process.ppid}\nnode another program\n`]) {
    writeFileSync(join(directory, 'mesh.pid'), left);
    lockDirectory(directory)();
  }
});

test.run();
