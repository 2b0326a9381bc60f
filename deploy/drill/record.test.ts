import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import type { Sight } from './crowd-pool.js';
import { improvements } from './improvements.js';
import { crowdEvents, renderRecord, writeRecord } from './record.js';
import { exampleResult, exampleRow } from './test-result.js';

const test = suite('drill record');
const { times } = exampleResult();
const sight = (after: number, kind: Sight['kind'], why?: string): Sight => ({
  sentAt: times.faultAt + after - 10,
  at: times.faultAt + after,
  method: 'POST',
  kind,
  ...(why !== undefined && { why }),
});
const warned = (after: number, text: string, count = 1) => ({
  firstAt: times.faultAt + after,
  lastAt: times.faultAt + after + 50,
  times: count,
  processes: ['inventory-1'],
  level: 'warn' as const,
  text,
});

test('a record is written under the name of its drill and the moment of the fault, a twin beside it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-records-'));
  try {
    const path = writeRecord(exampleResult(), join(directory, 'drills'));
    writeRecord(exampleResult({ row: exampleRow({ control: true }) }), join(directory, 'drills'));
    assert.equal(readdirSync(join(directory, 'drills')).sort(), [
      'plug-pulled-20260102T030405Z.md',
      'plug-pulled-control-20260102T030405Z.md',
    ]);
    assert.is(readFileSync(path, 'utf8'), renderRecord(exampleResult()));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('what was logged and what the crowd saw stand in the order of time', () => {
  const sights = [sight(-20, 'HELD'), sight(30, 'AGAIN', '503 BUSY'), sight(700, 'HELD')];
  const text = renderRecord(exampleResult({ sights, story: [warned(120, 'redis | cannot be reached', 3)] }));
  const order = [
    'the longest time without a HELD begins: 720 ms',
    '503 BUSY',
    'redis \\| cannot be reached',
    'is told HELD',
  ];
  const places = order.map((words) => text.indexOf(words));
  assert.equal(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.ok(
    places.every((place) => place > 0),
    `${places}`,
  );
  assert.match(text, /\| \+120 \| inventory-1 \| warn: .*, 3 times until \+170 \|/);
});

test('a crowd that is never told yes again has no turn for the better', () => {
  const events = crowdEvents([sight(-5, 'HELD'), sight(40, 'AGAIN', '503')], times.faultAt);
  assert.equal(
    events.map(({ what }) => what),
    ['first told to send again: 503'],
  );
});

test('a record says what failed, and which objective was missed', () => {
  const row = exampleRow({ failed: true, failures: ['2 units were sold that do not exist'] });
  const missed = { name: 'longest_pool_wait_ms', limit: 100, measured: 250, met: false } as const;
  const text = renderRecord(exampleResult({ row, attainments: [missed], poolWaits: [['order-2', 250]] }));
  assert.match(text, /\*\*FAILED\.\*\*/);
  assert.match(text, /\| longest_pool_wait_ms \| 100 \| 250 \| MISSED \|/);
  assert.match(text, /order-2 waited up to 250 ms/);
  assert.match(text, /A law is broken: 2 units were sold/);
});

test('of a twin the record says what was taken away', () => {
  assert.match(renderRecord(exampleResult({ row: exampleRow({ control: true }) })), /Taken away: the other plug\./);
});

test('a late first HELD is traced to what was logged last before it', () => {
  const late = { name: 'first_held_after_fault_ms', limit: 1_000, measured: 2_000, met: false } as const;
  const story = [warned(300, 'early'), warned(1_900, 'the breaker opened'), warned(2_500, 'late')];
  const [words = ''] = improvements(exampleResult({ attainments: [late], story }));
  assert.match(
    words,
    /2000 ms until somebody was told yes, not 1000\. The last word just before, after 1900 ms, was "the breaker opened"/,
  );
});

test('improvements are derived: what stayed small is not mentioned, what grew is', () => {
  assert.equal(improvements(exampleResult()).length, 1);
  assert.match(
    improvements(exampleResult())[0] ?? '',
    /Closest to its limit is first_held_after_fault_ms: 400 of 1000 \(40 %\)/,
  );
  const grown = exampleResult({
    row: exampleRow({ sent_again: 2, p99_fault_ms: 900 }),
    sights: [sight(10, 'AGAIN', '503 BUSY'), sight(11, 'AGAIN', '503 BUSY')],
    story: [warned(10, 'away', 80)],
    attainments: [{ name: 'backlog_zero_after_heal_ms', limit: 30_000, measured: 29_000, met: true }],
  });
  const words = improvements(grown).join('\n');
  assert.match(words, /2 answers only told clients to come again \(503 BUSY 2\)/);
  assert.match(words, /A yes took 900 ms \(p99\) under the fault, 20 before: 45 times/);
  assert.match(words, /"away" was logged 80 times/);
  assert.match(words, /backlog_zero_after_heal_ms is met scarcely: 29000 of 30000/);
});

test('a part of the backlog that never emptied is named', () => {
  const never = { name: 'backlog_zero_after_heal_ms', limit: 30_000, measured: null, met: false } as const;
  const drained = { journal: 10, stream: null, outbox: 20 };
  assert.match(
    improvements(exampleResult({ attainments: [never], drained }))[0] ?? '',
    /the stream of claims never emptied/,
  );
});

test.run();
