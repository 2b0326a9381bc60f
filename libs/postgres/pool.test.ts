import { Fault } from '#libs/refusal/fault.js';
import { createLogger } from '#libs/runtime/logger.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import { gate } from '#libs/testing/gate.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type TestPostgres, testPostgres } from '#libs/testing/test-postgres.js';
import { until } from '#libs/testing/until.js';
import { retryConflicts, sqlState, transient } from './errors.js';
import { createPool, type PoolOptions, type PostgresPool } from './pool.js';
import type { Statement } from './statement.js';

const test = suite('postgres pool');

const addAccount: Statement = { name: 'account_add', text: 'INSERT INTO account (id, amount) VALUES ($1, $2)' };
const sumAccounts: Statement = {
  name: 'account_sum',
  text: 'SELECT coalesce(sum(amount), 0)::int AS sum FROM account',
};
const backendPid: Statement = { name: 'backend_pid', text: 'SELECT pg_backend_pid() AS pid' };
const metrics = createMetrics();
const pools: PostgresPool[] = [];
let database: TestPostgres;
let pool: PostgresPool;

function open(options: Partial<PoolOptions> = {}): PostgresPool {
  const opened = createPool({
    url: database.url,
    max: 3,
    applicationName: 'pool-test',
    connectTimeoutMs: 20_000,
    statementTimeoutMs: 20_000,
    lockTimeoutMs: 20_000,
    maxWaiting: 100,
    metrics,
    logger: createLogger('test', 'silent'),
    ...options,
  });
  pools.push(opened);
  return opened;
}

function statement(text: string): Statement {
  return { name: '', text };
}

function faultOf(work: Promise<unknown>): Promise<Fault> {
  return rejectionOf(work, Fault);
}

async function sum(): Promise<number | undefined> {
  const [row] = await pool.query<{ sum: number }>(sumAccounts);
  return row?.sum;
}

test.before(async () => {
  database = await testPostgres();
  pool = open();
  await pool.query(statement('CREATE TABLE account (id int PRIMARY KEY, amount int NOT NULL)'));
});
test.before.each(async () => {
  await pool.query(statement('TRUNCATE account'));
});
test.after(async () => {
  await Promise.all(pools.map((each) => each.close()));
  await database.drop();
});

test('bigint comes as a number, and one that no number holds is refused', async () => {
  const [row] = await pool.query(statement("SELECT 9007199254740991 AS big, '{1,NULL,3}'::bigint[] AS list"));
  assert.equal(row, { big: 9_007_199_254_740_991, list: [1, null, 3] });
  const error = await rejectionOf(pool.query(statement('SELECT 9007199254740993 AS big')));
  assert.match(error.message, /beyond what a number holds/);
});

test('arrays of parameters go in as one batch', async () => {
  const rows = await pool.query(
    { name: 'batch', text: 'SELECT * FROM unnest($1::text[], $2::int[]) AS b(word, number)' },
    [
      ['a', 'with "quotes", {braces} and \\', 'c'],
      [1, null, 3],
    ],
  );
  assert.equal(rows, [
    { word: 'a', number: 1 },
    { word: 'with "quotes", {braces} and \\', number: null },
    { word: 'c', number: 3 },
  ]);
});

test('a statement is prepared once per connection under its name', async () => {
  const single = open({ max: 1 });
  await single.query(addAccount, [1, 10]);
  await single.query(addAccount, [2, 10]);
  const prepared = await single.query(statement("SELECT name FROM pg_prepared_statements WHERE name = 'account_add'"));
  assert.is(prepared.length, 1);
});

test('a pool takes on its role, and the limits of its sessions are set', async () => {
  await pool.query(statement('CREATE ROLE pool_test_role'));
  const limited = open({ role: 'pool_test_role', statementTimeoutMs: 1_234, lockTimeoutMs: 567 });
  const [row] = await limited.query(
    statement(`SELECT current_user AS role, current_setting('statement_timeout') AS statement,
      current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`),
  );
  assert.equal(row, { role: 'pool_test_role', statement: '1234ms', lock: '567ms', idle: '1234ms' });
  await pool.query(statement('DROP ROLE pool_test_role'));
});

test('a statement outside a transaction is counted as one, a transaction by its name', async () => {
  await pool.query({ name: 'counted', text: 'SELECT 1' });
  await pool.transaction((tx) => tx.query({ name: 'inner', text: 'SELECT 1' }), { name: 'counted_transaction' });
  const text = await metrics.text();
  assert.match(text, 'holdfast_postgres_transactions_total{statement="counted"} 1\n');
  assert.match(text, 'holdfast_postgres_transactions_total{statement="counted_transaction"} 1\n');
  assert.not.match(text, 'transactions_total{statement="inner"}');
  assert.match(text, /holdfast_postgres_pool_wait_seconds_count \d+/);
});

test('a transaction whose body rejects leaves nothing', async () => {
  const attempt = pool.transaction(async (tx) => {
    await tx.query(addAccount, [1, 10]);
    throw new Error('changed my mind');
  });
  assert.is((await rejectionOf(attempt)).message, 'changed my mind');
  assert.is(await sum(), 0);
});

test('a COMMIT that the database turned into a ROLLBACK is a fault', async () => {
  const attempt = pool.transaction(async (tx) => {
    await tx.query(addAccount, [1, 10]);
    await tx.query(statement('SELECT 1/0')).catch(() => 'ignored');
  });
  assert.is((await faultOf(attempt)).reason, 'INTERNAL');
  assert.is(await sum(), 0);
});

test('a transaction that has ended runs nothing more', async () => {
  const late = await pool.transaction(async (tx) => () => tx.query(addAccount, [1, 10]));
  assert.match((await rejectionOf(late())).message, /has ended/);
});

test('errors of the data stay what they are, and the connection is kept', async () => {
  const single = open({ max: 1 });
  const [before] = await single.query(backendPid);
  await single.query(addAccount, [1, 10]);
  const error = await rejectionOf(single.query(addAccount, [1, 10]));
  assert.is(sqlState(error), '23505');
  assert.not(transient(error));
  assert.equal(await single.query(backendPid), [before]);
});

test('a statement cut by the server is unavailable, and the connection is kept', async () => {
  const single = open({ max: 1, statementTimeoutMs: 300 });
  const [before] = await single.query(backendPid);
  assert.is((await faultOf(single.query(statement('SELECT pg_sleep(10)')))).reason, 'UNAVAILABLE');
  assert.equal(await single.query(backendPid), [before]);
});

test('a lock that others hold is a conflict with its own code', async () => {
  const hasty = open({ lockTimeoutMs: 20 });
  await pool.query(addAccount, [1, 10]);
  await pool.transaction(async (tx) => {
    await tx.query(statement('SELECT FROM account WHERE id = 1 FOR UPDATE'));
    const fault = await faultOf(hasty.query(statement('UPDATE account SET amount = 0 WHERE id = 1')));
    assert.is(fault.reason, 'BUSY');
    assert.is(sqlState(fault), '55P03');
  });
});

test('a plan made stale by a migration fails once and is made anew', async () => {
  const single = open({ max: 1 });
  const everything: Statement = { name: 'account_all', text: 'SELECT * FROM account' };
  await single.query(everything);
  await pool.query(statement('ALTER TABLE account ADD COLUMN note text'));
  assert.is((await faultOf(single.query(everything))).reason, 'BUSY');
  assert.equal(await single.query(everything), []);
  await pool.query(statement('ALTER TABLE account DROP COLUMN note'));
});

test('F05 many more transactions than connections all finish, each on one connection', async () => {
  const small = open({ max: 2 });
  const pids = await Promise.all(
    Array.from({ length: 40 }, (_, id) =>
      small.transaction(async (tx) => {
        const [first] = await tx.query(backendPid);
        await tx.query(addAccount, [id, 1]);
        assert.equal(await tx.query(backendPid), [first]);
        return first;
      }),
    ),
  );
  assert.is(await sum(), 40);
  assert.ok(new Set(pids.map((row) => JSON.stringify(row))).size <= 2);
});

test('F05 a second connection wanted inside a transaction ends at its deadline, not in a deadlock', async () => {
  const single = open({ max: 1 });
  const attempt = single.transaction(() => single.query(backendPid, [], { deadlineMs: 30 }));
  assert.is((await faultOf(attempt)).reason, 'BUSY');
  assert.is((await single.query(backendPid)).length, 1);
});

test('F06 a saturated pool refuses at the deadline, its line is bounded, and it recovers', async () => {
  const single = open({ max: 1, maxWaiting: 2 });
  const held = gate();
  const holder = single.transaction(() => held.passed);
  await until(() => single.stats().total === 1);

  const patient = single.query(backendPid);
  const hasty = faultOf(single.query(backendPid, [], { deadlineMs: 30 }));
  const oneTooMany = await faultOf(single.query(backendPid));
  assert.is(oneTooMany.reason, 'BUSY');
  assert.match(oneTooMany.message, /too many/);
  assert.is((await hasty).reason, 'BUSY');
  const { size, inUse, waiting } = single.stats();
  assert.equal({ size, inUse, waiting }, { size: 1, inUse: 1, waiting: 1 });

  held.open();
  await holder;
  assert.is((await patient).length, 1);
  const { longestWaitMs, ...after } = single.stats();
  assert.equal(after, { size: 1, total: 1, idle: 1, inUse: 0, waiting: 0 });
  assert.ok(longestWaitMs >= 30, 'the hasty one waited in vain');
});

test('F11 serialization conflicts are tried again until all are through', async () => {
  await pool.query(addAccount, [1, 0]);
  const increment = (): Promise<unknown> =>
    pool.transaction(async (tx) => {
      await tx.query(statement('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'));
      const [row] = await tx.query<{ amount: number }>(statement('SELECT amount FROM account WHERE id = 1'));
      await tx.query({ name: 'account_set', text: 'UPDATE account SET amount = $1 WHERE id = 1' }, [
        (row?.amount ?? 0) + 1,
      ]);
    });
  await Promise.all(Array.from({ length: 12 }, () => retryConflicts(increment, 50)));
  assert.is(await sum(), 12);
});

test('F11 a conflict that stays is BUSY after the attempts allowed', async () => {
  let attempts = 0;
  const conflict = (): Promise<unknown> => {
    attempts += 1;
    return pool.query(statement("DO $$ BEGIN RAISE 'again' USING ERRCODE = '40001'; END $$"));
  };
  assert.is((await faultOf(retryConflicts(conflict, 3))).reason, 'BUSY');
  assert.is(attempts, 3);
});

test.run();
