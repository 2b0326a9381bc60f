import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '#libs/testing/fixture.js';
import { assert, suite } from '#libs/testing/suite.js';
import { findChromium, findServers, missingServers } from './find-servers.js';

const test = suite('find-servers');
const fixtures = fixtureFolder();
test.after(() => fixtures.remove());

test('what is on the PATH comes first, in its order', () => {
  program('redis-server');
  assert.is(findServers(`/nowhere:${fixtures.path}`).redis, join(fixtures.path, 'redis-server'));
});

test('a file that cannot be run is no server', () => {
  chmodSync(program('nats-server'), 0o644);
  assert.is.not(findServers(fixtures.path).nats, join(fixtures.path, 'nats-server'));
});

test('postgres without initdb beside it does not do', () => {
  program('postgres');
  assert.is.not(findServers(fixtures.path).postgres?.postgres, join(fixtures.path, 'postgres'));
  program('initdb');
  assert.is(findServers(fixtures.path).postgres?.postgres, join(fixtures.path, 'postgres'));
});

test('this machine has all three, wherever its PATH points', () => {
  assert.equal(missingServers(findServers('')), []);
});

test('a Chromium is the one that is named, else one of the PATH; a name that leads nowhere is none', () => {
  const found = program('chromium');
  const [given, nowhere] = [program('my-browser'), join(fixtures.path, 'nothing')];
  assert.is(findChromium({ PATH: fixtures.path }), found);
  assert.is(findChromium({ PATH: fixtures.path, HOLDFAST_CHROMIUM: given }), given);
  assert.is(findChromium({ PATH: fixtures.path, HOLDFAST_CHROMIUM: nowhere }), undefined);
});

test('what is not there is named', () => {
  assert.equal(missingServers({ redis: '/usr/bin/redis-server' }), ['postgres', 'nats']);
});

function program(name: string): string {
  const file = fixtures.add(name, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

test.run();
