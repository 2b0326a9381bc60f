import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { ConfigError, type Env, type EnvReader, readEnv } from './config.js';

const test = suite('config');

function problemsOf(env: Env, declare: (read: EnvReader) => object): Promise<readonly string[]> {
  const reading = Promise.resolve().then(() => readEnv(env, declare));
  return rejectionOf(reading, ConfigError).then((error) => error.problems);
}

test('what is set is read as its kind, what is not takes its default', () => {
  const env = {
    PORT: '80',
    MODE: 'POSTGRES',
    URL: 'nats://h:1',
    ON: 'true',
    AT: '[::1]:9',
    TO: 'dns:peers:9',
    NAME: 'x',
  };
  const config = readEnv(env, (read) => ({
    port: read.integer('PORT'),
    shards: read.integer('SHARDS', { default: 4, min: 1, max: 64 }),
    mode: read.choice('MODE', ['AUTO', 'POSTGRES'], { default: 'AUTO' }),
    url: read.url('URL', { protocols: ['nats:'] }),
    redisUrl: read.url('REDIS_URL', { optional: true }),
    on: read.boolean('ON', { default: false }),
    address: read.address('AT'),
    target: read.target('TO'),
    name: read.string('NAME'),
  }));
  assert.equal(config, {
    port: 80,
    shards: 4,
    mode: 'POSTGRES',
    url: 'nats://h:1',
    redisUrl: undefined,
    on: true,
    address: '[::1]:9',
    target: 'dns:peers:9',
    name: 'x',
  });
  assert.ok(Object.isFrozen(config));
});

test('all problems come at once, each with the variable, what was given, what is allowed and an example', async () => {
  const env = { PORT: '0x50', SHARDS: '65', MODE: 'auto', AT: 'localhost:65536' };
  const problems = await problemsOf(env, (read) => ({
    port: read.integer('PORT'),
    shards: read.integer('SHARDS', { default: 4, min: 1, max: 64 }),
    mode: read.choice('MODE', ['AUTO', 'POSTGRES']),
    address: read.address('AT'),
    url: read.url('URL', { protocols: ['nats:'] }),
  }));
  assert.is(problems.length, 5);
  assert.match(problems[0] ?? '', /^PORT is "0x50": give a whole number/);
  assert.is(problems[1], 'SHARDS is "65": give a whole number from 1 to 64, for example SHARDS=10');
  assert.is(problems[2], 'MODE is "auto": give one of AUTO, POSTGRES, for example MODE=AUTO');
  assert.is(problems[3], 'AT is "localhost:65536": give host:port, for example AT=127.0.0.1:8080');
  assert.match(problems[4] ?? '', /^URL is not set: give a URL that begins with nats:/);
});

test('an empty variable is one that is not set', async () => {
  assert.is(readEnv({ A: '' }, (read) => ({ a: read.integer('A', { default: 7 }) })).a, 7);
  const problems = await problemsOf({ A: '' }, (read) => ({ a: read.string('A') }));
  assert.match(problems[0] ?? '', 'A is not set');
});

test('numbers that are none, or not whole, are refused', async () => {
  for (const given of ['1e3', '1.5', ' 1', '-', 'NaN', '99999999999999999']) {
    const problems = await problemsOf({ N: given }, (read) => ({ n: read.integer('N') }));
    assert.is(problems.length, 1, given);
  }
});

test('addresses and targets without a port, or with a scheme, are refused', async () => {
  for (const given of ['host', 'host:', ':80', 'http://host:80', 'a:1,,b:2', 'dns:a:1,b:2']) {
    const problems = await problemsOf({ T: given }, (read) => ({ t: read.target('T') }));
    assert.is(problems.length, 1, given);
  }
});

test('a password in a URL is not told', async () => {
  const problems = await problemsOf({ U: 'postgres://me:secret@host/db' }, (read) => ({
    u: read.url('U', { protocols: ['nats:'] }),
  }));
  assert.match(problems[0] ?? '', 'postgres://me:***@host/db');
});

test('a share is a number from 0 to 1', async () => {
  for (const [given, share] of [
    ['0', 0],
    ['0.01', 0.01],
    ['1', 1],
  ] as const) {
    assert.is(readEnv({ S: given }, (read) => ({ s: read.share('S') })).s, share);
  }
  for (const given of ['1.1', '-0.1', '.5', '1e-2', 'half']) {
    const problems = await problemsOf({ S: given }, (read) => ({ s: read.share('S') }));
    assert.match(problems[0] ?? '', /^S is .*give a number from 0 to 1, for example S=0\.01$/);
  }
});

test.run();
