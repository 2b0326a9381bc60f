import { type MethodDefinition, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import {
  ReservationServiceDefinition as Reservation,
  type ReserveStreamItem,
  ReserveStreamRequest,
  ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { encode, pathOf } from '#libs/rpc/definition.js';
import { assert, suite } from '#libs/testing/suite.js';
import { driveStreams } from './drive.js';

const test = suite('streams of reservations');

const reserveStream: MethodDefinition<ReserveStreamRequest, ReserveStreamResponse> = {
  path: pathOf(Reservation, Reservation.methods.reserveStream),
  requestStream: true,
  responseStream: true,
  requestSerialize: (request) => encode(ReserveStreamRequest, request),
  requestDeserialize: (bytes) => ReserveStreamRequest.decode(bytes),
  responseSerialize: (response) => encode(ReserveStreamResponse, response),
  responseDeserialize: (bytes) => ReserveStreamResponse.decode(bytes),
};

const results: NonNullable<ReserveStreamResult['result']>[] = [
  { $case: 'response', value: { outcome: { $case: 'held', value: { order: undefined } } } },
  { $case: 'response', value: { outcome: { $case: 'pending', value: { orderId: 'o-1' } } } },
  { $case: 'response', value: { outcome: { $case: 'refused', value: { refusal: undefined, ownOrder: undefined } } } },
  {
    $case: 'response',
    value: { outcome: { $case: 'queued', value: { skuId: 'a', peopleAhead: 300, retryAfterMs: 4_000 } } },
  },
  { $case: 'error', value: { code: status.UNAVAILABLE, message: 'too many', details: [] } },
];

/** A server that gives each item the next of the results, and where it listens. */
async function listen(seen: ReserveStreamItem[]): Promise<{ server: Server; address: string }> {
  const server = new Server();
  const handle = (call: ServerDuplexStream<ReserveStreamRequest, ReserveStreamResponse>): void => {
    call.on('data', ({ items }: ReserveStreamRequest) => {
      seen.push(...items);
      call.write({ results: items.map(({ itemId }) => ({ itemId, result: results[itemId % results.length] })) });
    });
    call.on('end', () => call.end());
  };
  server.addService({ reserveStream }, { reserveStream: handle });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { server, address: `127.0.0.1:${port}` };
}

test('every item goes once to one of the gateways, with a user and an id of its own, and its end is read from the wire', async () => {
  const seen: [ReserveStreamItem[], ReserveStreamItem[]] = [[], []];
  const servers = await Promise.all(seen.map(listen));
  try {
    const { phases, windows } = await driveStreams({
      addresses: servers.map(({ address }) => address),
      ...{ storeId: 'store', skuIds: ['a', 'b'], tag: 't', deadlineMs: 2_000 },
      load: { phases: [{ perSecond: 1_000, ms: 200 }], windowMs: 100 },
    });
    assert.equal(phases[0]?.outcomes, { HELD: 40, PENDING: 40, REFUSED: 40, QUEUED: 40, 'status 14': 40 });
    assert.equal(
      windows.map(({ sent }) => sent),
      [100, 100],
    );
  } finally {
    for (const { server } of servers) server.forceShutdown();
  }
  const items = seen.flat();
  assert.is(items.length, 200);
  assert.is(new Set(items.map(({ userId }) => userId)).size, 200);
  assert.is(new Set(items.map(({ request }) => request?.requestId)).size, 200);
  assert.equal(items[0]?.request?.lines[0]?.skuId, 'a');
  assert.ok(seen.every((some) => some.length > 0));
});

test('in a closed loop so many are in flight and no more, and all are answered', async () => {
  const seen: ReserveStreamItem[] = [];
  const { server, address } = await listen(seen);
  try {
    const { phases } = await driveStreams({
      addresses: [address],
      ...{ storeId: 'store', skuIds: ['a'], tag: 't', deadlineMs: 2_000 },
      load: { inFlight: 10, warmUp: 50, items: 100 },
    });
    assert.equal(phases[0]?.outcomes, { HELD: 30, PENDING: 30, REFUSED: 30, QUEUED: 30, 'status 14': 30 });
    assert.is(phases[0]?.served, 40);
  } finally {
    server.forceShutdown();
  }
  assert.is(new Set(seen.map(({ userId }) => userId)).size, 150);
  assert.equal(
    seen.map(({ itemId }) => itemId),
    [...Array(150).keys()],
  );
});

test.run();
