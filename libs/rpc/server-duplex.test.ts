import { Client, type ClientDuplexStream, credentials, type ServiceError, status as statusCode } from '@grpc/grpc-js';
import {
  type InventoryServiceDefinition,
  PlaceHoldsResponse,
} from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { type RpcServer, startServer } from './server.js';
import type { Handlers } from './service.js';
import { answering, pending, silentLogger, standIn } from './stand-in.js';
import { hasDetails } from './status.js';

const test = suite('server duplex');
const asIs = (bytes: Buffer): Buffer => bytes;

let server: RpcServer;
let client: Client;

test.after.each(async () => {
  client.close();
  await server.drain();
});

/** Serves placeHolds and opens a stream to it. */
async function open(
  placeHolds: Handlers<typeof InventoryServiceDefinition>['placeHolds'],
): Promise<ClientDuplexStream<Buffer, Buffer>> {
  server = await startServer({
    address: '127.0.0.1:0',
    services: [standIn({ placeHolds })],
    logger: silentLogger,
    drainMs: 100,
  });
  client = new Client(server.address, credentials.createInsecure());
  return client.makeBidiStreamRequest('/holdfast.inventory.v1.InventoryService/PlaceHolds', asIs, asIs);
}

test('the headers of a bidirectional stream go out at once, and its messages in order', async () => {
  const stream = await open((duplex) => {
    let sent = 0;
    duplex.onMessage(() => {
      sent += 1;
      duplex.sendBatch(
        [pending(sent)],
        (results) => ({ results }),
        () => undefined,
      );
    });
    duplex.onEnd(() => duplex.end());
  });
  await new Promise((accepted) => stream.once('metadata', accepted));
  const got: number[] = [];
  stream.on('data', (bytes: Buffer) => got.push(PlaceHoldsResponse.decode(bytes).results[0]?.itemId ?? 0));
  for (let i = 0; i < 3; i += 1) stream.write(Buffer.alloc(0));
  stream.end();
  await new Promise((ended) => stream.once('end', ended));
  assert.equal(got, [1, 2, 3]);
});

test('a listener that throws ends its stream with a fault, not the server', async () => {
  let streams = 0;
  const stream = await open((duplex) => {
    streams += 1;
    duplex.onMessage(() => {
      throw new TypeError('a bug');
    });
  });
  const failed = new Promise<ServiceError>((resolve) =>
    stream.once('error', (error) => resolve(error as ServiceError)),
  );
  stream.write(Buffer.alloc(0));
  stream.resume();
  const error = await failed;
  assert.is(error.code, statusCode.INTERNAL);
  assert.ok(hasDetails(error.metadata));
  const another = client.makeBidiStreamRequest('/holdfast.inventory.v1.InventoryService/PlaceHolds', asIs, asIs);
  another.on('error', () => undefined);
  await until(() => streams === 2);
  another.cancel();
});

test('a caller that sends no more gets every result it waits for, then the end', async () => {
  const answers: (() => void)[] = [];
  const stream = await open((duplex) =>
    answering(duplex, (item, answer) => answers.push(() => answer(pending(item.itemId)))),
  );
  const got: number[] = [];
  let ended = false;
  stream.on('data', (bytes: Buffer) =>
    got.push(...PlaceHoldsResponse.decode(bytes).results.map(({ itemId }) => itemId)),
  );
  stream.once('end', () => {
    ended = true;
  });
  stream.write(Buffer.from('0a0208010a020802', 'hex'));
  stream.end();
  await until(() => answers.length === 2);
  answers[1]?.();
  await until(() => got.length === 1);
  assert.is(ended, false);
  answers[0]?.();
  await until(() => ended);
  assert.equal(got, [2, 1]);
});

test.run();
