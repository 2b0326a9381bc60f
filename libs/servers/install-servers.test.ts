import { assert, suite } from '#libs/testing/suite.js';
import { installCommand, type Machine } from './install-servers.js';

const test = suite('install-servers');

test('root installs with apt-get, the lists refreshed first and no server started', () => {
  const command = installCommand(['redis', 'nats'], machine({ 'apt-get': true, sudo: true }, true));
  assert.is(command?.program, '/bin/sh');
  assert.equal(command?.args.slice(-2), ['redis-server', 'nats-server']);
  const script = command?.args[1] ?? '';
  assert.ok(script.indexOf('policy-rc.d') < script.indexOf('update'));
  assert.ok(script.indexOf('update') < script.indexOf('install -y'));
});

test('anybody else needs a sudo that asks nothing', () => {
  const command = installCommand(['postgres'], machine({ 'apt-get': true, sudo: true }));
  assert.equal([command?.program, command?.args[0], command?.args.at(-1)], ['sudo', '-n', 'postgresql']);
  assert.is(installCommand(['postgres'], machine({ 'apt-get': true })), undefined);
});

test('the browser of the tests is a package like the servers', () => {
  const command = installCommand(['chromium'], machine({ 'apt-get': true }, true));
  assert.is(command?.args.at(-1), 'chromium');
});

test('a Mac installs with brew, and only as brew wants it', () => {
  const command = installCommand(['postgres', 'nats'], machine({ brew: true }));
  assert.equal(command?.args, ['install', 'postgresql@17', 'nats-server']);
});

test('a machine without either is told so', () => {
  assert.is(installCommand(['redis'], machine({ sudo: true }, true)), undefined);
});

function machine(can: Partial<Machine['can']>, isRoot = false): Machine {
  return { can: { brew: false, 'apt-get': false, sudo: false, ...can }, isRoot };
}

test.run();
