import { assert, suite } from '#libs/testing/suite.js';
import { readOptions } from './start-options.js';

const test = suite('start options');

test('nothing said is one process of each, with a crowd, on the port that is free', () => {
  assert.equal(readOptions([]), { scale: {}, without: [], fresh: false, rush: true, page: false });
  assert.equal(readOptions(['--http-port', '65535', '--fresh', '--no-rush', '--page', '--scale', 'order=2']), {
    scale: { order: 2 },
    without: [],
    httpPort: 65_535,
    fresh: true,
    rush: false,
    page: true,
  });
  assert.is(readOptions(['--help']), undefined);
});

test('Redis and NATS can be left out, and nothing else', () => {
  assert.equal(readOptions(['--without', 'nats'])?.without, ['nats']);
  assert.equal(readOptions(['--without', 'redis,nats'])?.without, ['redis', 'nats']);
  assert.throws(() => readOptions(['--without', 'postgres']), '--without: postgres is not redis or nats');
});

test('a port that cannot be is refused in words', () => {
  for (const port of ['99999', '65536', '0', 'http', '', '80.5']) {
    assert.throws(() => readOptions([`--http-port=${port}`]), `--http-port: ${port} is no port from 1 to 65535`);
  }
});

test.run();
