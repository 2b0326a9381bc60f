import { Metadata, type ServiceError, status as statusCode } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RetryInfo } from '#libs/contracts/gen/google/rpc/error_details.js';
import type { Status } from '#libs/contracts/gen/google/rpc/status.js';
import { Fault, type FaultReason, faultCatalogue } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { faultOfCall, fromStatus, toStatus, wireStatus } from './status.js';

const test = suite('status');

const reasons = Object.keys(faultCatalogue) as FaultReason[];

function detailsOf(status: Status, name: string): Uint8Array[] {
  return status.details.filter(({ typeUrl }) => typeUrl.endsWith(`.${name}`)).map(({ value }) => value);
}

/** The error that the gRPC client makes of a status. */
function callError(code: number, details: string, metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata });
}

test('every reason of the catalogue arrives as it left', () => {
  for (const reason of reasons) {
    const sent = new Fault(reason, `because of ${reason}`, {
      metadata: { sku_id: 'sku-1' },
      violations: [{ field: 'lines[0].quantity', description: 'must be at least 1' }],
      retryAfterMs: 1_250,
    });
    const { code, details, metadata } = wireStatus(sent, 'en');
    assert.is(statusCode[code], faultCatalogue[reason].code);
    const got = faultOfCall(callError(code, details, metadata));
    assert.equal(
      [got.reason, got.message, got.metadata, got.violations, got.retryAfterMs],
      [sent.reason, sent.message, sent.metadata, sent.violations, sent.retryAfterMs],
    );
  }
});

test('every status has exactly one ErrorInfo, of our domain', () => {
  for (const reason of reasons) {
    const infos = detailsOf(toStatus(new Fault(reason, 'x')), 'ErrorInfo').map((bytes) => ErrorInfo.decode(bytes));
    assert.equal(
      infos.map((info) => [info.reason, info.domain]),
      [[reason, 'holdfast']],
    );
  }
});

test('UNAVAILABLE and RESOURCE_EXHAUSTED always say when to come back', () => {
  for (const reason of reasons) {
    const [bytes] = detailsOf(toStatus(new Fault(reason, 'x')), 'RetryInfo');
    if (!['UNAVAILABLE', 'RESOURCE_EXHAUSTED'].includes(faultCatalogue[reason].code)) continue;
    const { retryDelay } = RetryInfo.decode(bytes as Uint8Array);
    assert.ok(retryDelay !== undefined && retryDelay.seconds + retryDelay.nanos > 0);
  }
});

test('all violations are listed', () => {
  const violations = Array.from({ length: 300 }, (_, i) => ({
    field: `lines[${i}].sku_id`,
    description: 'is missing',
  }));
  const [bytes] = detailsOf(toStatus(new Fault('INVALID_REQUEST', 'x', { violations })), 'BadRequest');
  const { fieldViolations } = BadRequest.decode(bytes as Uint8Array);
  assert.equal(
    fieldViolations.map(({ field, description }) => ({ field, description })),
    violations,
  );
});

test('a reason that only a newer peer knows is read by its code', () => {
  const status = toStatus(new Fault('ORDER_NOT_FOUND', 'x'));
  status.details = [
    { typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: newerInfo('SEAT_NOT_FOUND', 'holdfast') },
  ];
  assert.is(fromStatus(status).reason, 'ORDER_NOT_FOUND');
});

test('a reason of a foreign domain is not taken for ours', () => {
  const details = [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: newerInfo('BUSY', 'example.org') }];
  assert.is(fromStatus({ code: statusCode.RESOURCE_EXHAUSTED, message: '', details }).reason, 'INTERNAL');
});

test('a status without a reason comes from the transport: an unknown outcome, never a busy peer', () => {
  const expected: [statusCode, FaultReason][] = [
    [statusCode.UNAVAILABLE, 'UNAVAILABLE'],
    [statusCode.CANCELLED, 'UNAVAILABLE'],
    [statusCode.INTERNAL, 'UNAVAILABLE'],
    [statusCode.UNKNOWN, 'UNAVAILABLE'],
    [statusCode.DEADLINE_EXCEEDED, 'TOO_LATE'],
    [statusCode.RESOURCE_EXHAUSTED, 'INTERNAL'],
    [statusCode.UNIMPLEMENTED, 'INTERNAL'],
    [statusCode.UNAUTHENTICATED, 'INTERNAL'],
  ];
  for (const [code, reason] of expected) {
    const fault = faultOfCall(callError(code, 'connect ECONNREFUSED 10.1.2.3:5000'));
    assert.is(fault.reason, reason, statusCode[code]);
    assert.not.match(fault.message, /10\.1\.2\.3/);
  }
});

test('details that cannot be read are as good as none', () => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from('ffffffff', 'hex'));
  assert.is(faultOfCall(callError(statusCode.UNAVAILABLE, '', metadata)).reason, 'UNAVAILABLE');
});

test('a message that no header can carry is made fit', () => {
  const { details } = wireStatus(new Fault('SKU_NOT_FOUND', `sku \ud800 ${'x'.repeat(5_000)}`), 'en');
  assert.not.throws(() => encodeURI(details));
  assert.ok(details.length <= 1_000);
});

function newerInfo(reason: string, domain: string): Buffer {
  return Buffer.from(ErrorInfo.encode({ reason, domain, metadata: {} }).finish());
}

test.run();
