import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseError } from 'pg';
import { sqlFile } from '#libs/postgres/statement.js';
import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { RUNTIME_ROLE } from './ledger.js';
import { only, type TestLedger, testLedger } from './test-ledger.js';

const test = suite('privileges and schema');
let db: TestLedger;

test.before(async () => {
  db = await testLedger();
});
test.after(() => db.drop());

const relations = (kind: 'r' | 'v'): Promise<{ name: string }[]> =>
  db.sql(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relkind = $1`,
    [kind],
  );
/** As the services run it. */
const asRuntime = (text: string): Promise<object[]> => db.runtime.query({ name: '', text });

test('the services read every table but secrets, and write none', async () => {
  const tables = await relations('r');
  assert.ok(tables.length >= 14);
  for (const { name } of tables) {
    for (const write of [`DELETE FROM ${name}`, `TRUNCATE ${name}`, `INSERT INTO ${name} DEFAULT VALUES`]) {
      assert.is((await rejectionOf(asRuntime(write), DatabaseError)).code, '42501', write);
    }
  }
  const secret = 'ledger.webhook_secrets';
  for (const { name } of [...tables, ...(await relations('v'))]) {
    const reading = asRuntime(`SELECT * FROM ${name} LIMIT 1`);
    if (name === secret) assert.is((await rejectionOf(reading, DatabaseError)).code, '42501');
    else await reading;
  }
  const error = await rejectionOf(asRuntime(`UPDATE ledger.stock SET free = free + 1`), DatabaseError);
  assert.is(error.code, '42501');
});

test('the services cannot call what is behind the functions, nor make anything of their own', async () => {
  const inner = [
    `SELECT ledger.orders_transition('CANCEL', '{}', NULL)`,
    `SELECT ledger.orders_move('CANCEL', '{}', '{}', '{}', '{}', now())`,
    `SELECT ledger.units_move('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 'CANCEL', now())`,
    `SELECT ledger.refunds_add('{}', '{}', NULL, 'CANCELLED', now())`,
    `SELECT ledger.payment_apply('bank', '1', false)`,
    `SELECT ledger.payment_settle('bank', '1')`,
    `SELECT ledger.refunds_end_note('bank', '1', now())`,
    `SELECT ledger.money_settle_as(NULL, 'KEEP', now())`,
    `SELECT ledger.order_part_refund(gen_random_uuid(), 1, 0, now())`,
    `SELECT ledger.move_bar(NULL, '', '', now())`,
    `SELECT ledger.stock_take('{}', '{}', '{}', '{}')`,
    `SELECT ledger.control_known('PAUSE', 'SKU', '', '', '', '')`,
    `SELECT ledger.control_note('PAUSE', 'SKU', '', '', '', '', '', now(), '')`,
    `SELECT ledger.claims_write('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', false, now())`,
    `SELECT ledger.staff_note('{}', '{}', '{}', '{}', '{}', '{}', now())`,
  ];
  for (const text of [...inner, 'CREATE TABLE ledger.mine (id int)', 'ALTER TABLE ledger.stock DISABLE TRIGGER ALL']) {
    assert.is((await rejectionOf(asRuntime(text), DatabaseError)).code, '42501', text);
  }
});

test('the services run as the role and cannot log in as it', async () => {
  assert.equal(await asRuntime('SELECT current_user AS name'), [{ name: RUNTIME_ROLE }]);
  assert.equal(await db.sql(`SELECT rolcanlogin FROM pg_roles WHERE rolname = $1`, [RUNTIME_ROLE]), [
    { rolcanlogin: false },
  ]);
});

test("a function with its owner's rights looks names up nowhere but in the schema, and is nobody else's to call", async () => {
  const loose = await db.sql(`
    SELECT p.proname FROM pg_proc AS p
    WHERE p.pronamespace = 'ledger'::regnamespace AND (has_function_privilege('public', p.oid, 'EXECUTE')
      OR p.prosecdef AND NOT coalesce('search_path=ledger, pg_temp' = ANY (p.proconfig), false))`);
  assert.equal(loose, []);
});

test('F10: every instant is stored with its zone', async () => {
  const columns = await db.sql<{ count: number }>(`
    SELECT count(*)::int AS count FROM information_schema.columns
    WHERE table_schema = 'ledger' AND data_type IN ('timestamp without time zone', 'time without time zone', 'date')`);
  assert.is(only(columns).count, 0);
});

test('ids compare by their bytes in every table', async () => {
  const columns = await db.sql(`
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'ledger' AND data_type = 'text' AND column_name LIKE '%\\_id' AND collation_name IS DISTINCT FROM 'C'
      AND table_name IN (SELECT relname FROM pg_class WHERE relkind = 'r')`);
  assert.equal(columns, []);
});

test('A26: units of orders are moved by admission, promotion, units_move and repair, and by nothing else', () => {
  const folder = new URL('./functions/', import.meta.url);
  const moves =
    /INSERT INTO (ledger\.)?(movements|attendee_units)|UPDATE (ledger\.)?attendee_units|\b(held|sold) = [a-z]\.(held|sold)/;
  const movers = readdirSync(folder).filter((file) => moves.test(readFileSync(new URL(file, folder), 'utf8')));
  const admission = ['attendees_give.sql', 'claims_write.sql', 'stock_take.sql'];
  const others = ['reconcile_repair.sql', 'units_move.sql', 'waiters_promote.sql'];
  assert.equal(movers.sort(), [...admission, ...others].sort());
});

test('every statement file can be prepared', async () => {
  const folder = new URL('./sql/', import.meta.url);
  const files = readdirSync(folder);
  assert.ok(files.length >= 5);
  for (const file of files) {
    const { name, text } = sqlFile(new URL(file, folder));
    await db.sql(`PREPARE ${name} AS ${text}`);
  }
});

test.run();
