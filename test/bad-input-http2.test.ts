import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { connect } from '#libs/rpc/client.js';
import { residentKb } from '#libs/servers/process-table.js';
import { assert, suite } from '#libs/testing/suite.js';
import { onPrivateMesh } from '../deploy/fuzz/private-mesh.js';
import type { Mesh } from '../deploy/local/mesh.js';

const test = suite('bad input: HTTP/2');

const RESETS = 20_000;
const PINGS = 20_000;
const GROWTH_MAX_KB = 150_000;

test('a flood of streams that are taken back, and one of pings, harm nobody else, and the gateway keeps its memory', () =>
  onPrivateMesh(
    () => {},
    async (mesh) => {
      const gatewayPid = mesh.describe().services.gateway?.[0]?.pid ?? 0;
      const before = residentKb(gatewayPid);
      for (const flood of [rapidReset, pingFlood, endlessHeaders]) {
        const others = await whileFlooding(mesh, () => flood(mesh.describe().gateway));
        assert.ok(others > 0, `nobody asked during ${flood.name}`);
      }
      assert.ok(residentKb(gatewayPid) - before < GROWTH_MAX_KB, `grew by ${residentKb(gatewayPid) - before} kB`);
    },
  ));

const nothing = { storeId: 'nobody', pageSize: 1, pageToken: '', startsAfter: undefined, startsBefore: undefined };

/** Others ask, one after the other, for as long as the flood lasts; each must be answered. How many were. */
async function whileFlooding(mesh: Mesh, flood: () => Promise<void>): Promise<number> {
  const client = connect(ReservationServiceDefinition, mesh.describe().gateway, { defaultDeadlineMs: 5_000 });
  let flooding = true;
  let asked = 0;
  const ended = flood().finally(() => {
    flooding = false;
  });
  do {
    await client.listSkus(nothing);
    asked += 1;
  } while (flooding);
  await ended;
  client.close();
  return asked;
}

/** CVE-2023-44487: streams are opened and taken back faster than they can be worked on. Ends when all were, or the session is. */
function rapidReset(address: string): Promise<void> {
  return new Promise((resolve) => {
    const session = connectHttp2(`http://${address}`);
    session.on('error', () => {}).on('close', resolve);
    const headers = {
      ':method': 'POST',
      ':path': '/holdfast.reservation.v1.ReservationService/Reserve',
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    let sent = 0;
    const some = (): void => {
      for (let batch = 0; batch < 500 && !session.closed && !session.destroyed; batch += 1) {
        const stream = session.request(headers);
        stream.on('error', () => {});
        stream.close(constants.NGHTTP2_CANCEL);
        sent += 1;
      }
      if (sent >= RESETS || session.closed || session.destroyed) session.destroy();
      else setImmediate(some);
    };
    session.on('connect', some);
  });
}

/** More pings than anybody needs; the session may be ended for it. */
function pingFlood(address: string): Promise<void> {
  return written(
    address,
    Buffer.concat([opening, ...new Array<Buffer>(PINGS).fill(frame(0x6, 0, 0, Buffer.alloc(8)))]),
  );
}

/** Headers that go on and on without their end. */
function endlessHeaders(address: string): Promise<void> {
  // A literal field without indexing: x: 1000 times "y".
  const field = Buffer.concat([
    Buffer.from([0x00, 0x01]),
    Buffer.from('x'),
    Buffer.from([0x7f, 0xe9, 0x06]),
    Buffer.alloc(1_000, 'y'),
  ]);
  const first = frame(0x1, 0, 1, field);
  const more = new Array<Buffer>(5_000).fill(frame(0x9, 0, 1, field));
  return written(address, Buffer.concat([opening, first, ...more]));
}

const opening = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(0x4, 0, 0, Buffer.alloc(0))]);

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Writes it and hears nothing; resolves when it is written and the other side has had enough or nothing more to say. */
function written(address: string, bytes: Buffer): Promise<void> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port: Number(port) });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.setTimeout(1_000, () => socket.destroy());
    socket.resume();
    socket.end(bytes);
  });
}

test.run();
