import { connect as connectNats, type NatsConnection, type StoredMsg } from 'nats';
import { orderEventsStream } from '#libs/contracts/subjects.js';
import { assert, suite } from '#libs/testing/suite.js';
import { bearerOf } from '#libs/testing/test-issuer.js';
import { until } from '#libs/testing/until.js';
import { onSale, somebody } from './on-sale.js';
import { pressHttp } from './press.js';
import { startTestMesh, type TestMesh } from './test-mesh.js';

const test = suite('conventions: events');
const generous = { perSecond: 1_000, burst: 1_000 };

let mesh: TestMesh;
let nats: NatsConnection;
/** What was told of an order that was cancelled, and of one who took its place. */
let events: StoredMsg[];
let rows: Map<string, OutboxRow>;

interface OutboxRow {
  id: string;
  order_id: string;
  at: Date;
}

test.before(async () => {
  mesh = await startTestMesh();
  nats = await connectNats({ servers: mesh.nats.url });
  const sku = await onSale(mesh, generous, { capacity: 1, onSoldOut: 'JOIN_WAITLIST' });
  const ada = somebody(sku);
  const { body } = await pressHttp(mesh.http, ada);
  await pressHttp(mesh.http, somebody(sku));
  const headers = { authorization: bearerOf(ada.user), 'idempotency-key': 'cancel' };
  await fetch(`${mesh.http}/v1/orders/${body.order_id}:cancel`, { method: 'POST', headers });
  await until(async () => (await mesh.ledger.sql('SELECT FROM ledger.outbox WHERE published_at IS NULL')).length === 0);
  const stored = await mesh.ledger.sql<OutboxRow>('SELECT id::text, order_id::text, at FROM ledger.outbox');
  rows = new Map(stored.map((row) => [row.id, row]));
  const { streams } = await nats.jetstreamManager();
  const { state } = await streams.info(orderEventsStream);
  const sequences = Array.from({ length: state.last_seq }, (_, index) => index + 1);
  events = await Promise.all(sequences.map((seq) => streams.getMessage(orderEventsStream, { seq })));
});
test.after(async () => {
  await nats.close();
  await mesh.close();
});

test('every event is a CloudEvent 1.0 in binary mode: its attributes are headers', () => {
  assert.ok(events.length >= 4, `${events.length}`);
  for (const { header, subject } of events) {
    const row = rows.get(header.get('ce-id'));
    const attributes = ['specversion', 'source', 'time', 'subject', 'datacontenttype'].map((name) =>
      header.get(`ce-${name}`),
    );
    const expected = ['1.0', '/holdfast/order', row?.at.toISOString(), row?.order_id, 'application/protobuf'];
    assert.equal(attributes, expected, subject);
    assert.match(header.get('ce-type'), /^holdfast\.event\.v1\.(OrderChanged|WaitlistChanged)$/);
  }
});

test('Nats-Msg-Id is the id of the row in the outbox, so that the stream takes each once', () => {
  const ids = events.map(({ header }) => header.get('Nats-Msg-Id'));
  assert.equal(
    ids.toSorted((one, two) => Number(one) - Number(two)),
    [...rows.keys()].toSorted((one, two) => Number(one) - Number(two)),
  );
  assert.equal(
    ids,
    events.map(({ header }) => header.get('ce-id')),
  );
});

test.run();
