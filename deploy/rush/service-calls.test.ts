import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert, suite } from '#libs/testing/suite.js';
import { increase, parseMetrics } from './readings.js';
import { POLLS, postgresTransactions, redisCalls } from './service-calls.js';

const test = suite('service calls');

test('every poll is a statement or a script of this tree', () => {
  const files = readdirSync(fileURLToPath(new URL('../../', import.meta.url)), { recursive: true, encoding: 'utf8' });
  const stems = new Set(files.map((file) => /([^/]+)\.(sql|lua)$/.exec(file)?.[1]));
  assert.equal(
    POLLS.filter((name) => !stems.has(name)),
    [],
  );
});

test('what serves requests is counted and what the clock asks for is not', () => {
  const samples = increase(
    [],
    [
      {
        address: 'a',
        samples: parseMetrics(
          [
            'holdfast_redis_calls_total{script="holds_place"} 4',
            'holdfast_redis_calls_total{script="claims_list"} 90',
            'holdfast_postgres_transactions_total{statement="claims_admit"} 3',
            'holdfast_postgres_transactions_total{statement="outbox_take"} 70',
          ].join('\n'),
        ),
      },
    ],
  );
  assert.equal([redisCalls(samples), postgresTransactions(samples)], [4, 3]);
});

test.run();
