import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert, suite } from '#libs/testing/suite.js';
import { increase, parseMetrics } from './readings.js';
import { POLLED_METHODS, POLLS, postgresTransactions, redisCalls, rpcRequests } from './service-calls.js';

const test = suite('service calls');

test('every poll is a statement or a script of this tree', () => {
  const files = readdirSync(fileURLToPath(new URL('../../', import.meta.url)), { recursive: true, encoding: 'utf8' });
  const stems = new Set(files.map((file) => /([^/]+)\.(sql|lua)$/.exec(file)?.[1]));
  assert.equal(
    POLLS.filter((name) => !stems.has(name)),
    [],
  );
});

test('every polled call is a method of a contract', () => {
  const proto = fileURLToPath(new URL('../../../proto/', import.meta.url));
  const contracts = readdirSync(proto, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.proto'));
  const text = contracts.map((file) => readFileSync(`${proto}${file}`, 'utf8')).join('\n');
  const methods = new Set([...text.matchAll(/\brpc (\w+)\(/g)].map(([, name]) => name));
  assert.equal(
    POLLED_METHODS.filter((name) => !methods.has(name)),
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
            'holdfast_batch_messages_total{stream="PlaceHolds sent"} 5',
            'holdfast_batch_messages_total{stream="PlaceHolds received"} 60',
            'holdfast_rpc_requests_total{service="inventory",method="GetSku",code="OK"} 2',
            'holdfast_rpc_requests_total{service="inventory",method="Sweep",code="OK"} 50',
            'holdfast_rpc_requests_total{service="holdfast.reservation.v1.ReservationService",method="Reserve",code="OK"} 40',
          ].join('\n'),
        ),
      },
    ],
  );
  assert.equal([redisCalls(samples), postgresTransactions(samples), rpcRequests(samples)], [4, 3, 7]);
});

test.run();
