import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import type {
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { assert, suite } from '#libs/testing/suite.js';
import { startRival } from '../baselines/start-rival.js';
import { drive } from './drive.js';
import type { DriveJob } from './grpc-driver.js';
import { reserveMethod } from './reserve-method.js';

const test = suite('gRPC driver');

function job(address: string): DriveJob {
  const load = { tag: 't', warmUp: 20, requests: 200, inFlight: 16, deadlineMs: 5_000 };
  return { address, path: reserveMethod.path, storeId: 'store', skuId: 'sku', ...load };
}

test('the echo answers every call HELD', async () => {
  const echo = await startRival('echo-server');
  try {
    const result = await drive(job(echo.address));
    assert.equal(result.outcomes, { HELD: 220 });
    assert.ok(result.p99Ms >= result.p50Ms && result.p50Ms > 0);
  } finally {
    await echo.stop();
  }
});

test('every call has an attendee and a request id of its own, and its end is counted for what it was', async () => {
  const attendees = new Set<string>();
  const requestIds = new Set<string>();
  const server = new Server();
  server.addService(
    { reserve: reserveMethod },
    {
      reserve: (call: ServerUnaryCall<ReserveRequest, ReserveResponse>, callback: sendUnaryData<ReserveResponse>) => {
        attendees.add(String(call.request.lines[0]?.attendeeId));
        requestIds.add(call.request.requestId);
        if (requestIds.size % 2 === 0) return callback({ code: status.UNAVAILABLE });
        callback(null, { outcome: { $case: 'refused', value: { refusal: undefined, ownOrder: undefined } } });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  try {
    const { outcomes } = await drive(job(`127.0.0.1:${port}`));
    assert.equal(outcomes, { REFUSED: 110, 'status 14': 110 });
    assert.is(attendees.size, 220);
    assert.is(requestIds.size, 220);
  } finally {
    server.forceShutdown();
  }
});

test.run();
