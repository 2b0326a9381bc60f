import { Client, credentials, Metadata, type ServiceError, status as statusCode } from '@grpc/grpc-js';
import { LimitScope, RefusalReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { catalogue, reasons, refusalCatalogue } from '#libs/refusal/catalogue.js';
import { Fault, type FaultReason, faultCatalogue, titleOf } from '#libs/refusal/fault.js';
import { localized } from '#libs/refusal/localize.js';
import { type RpcServer, startServer } from '#libs/rpc/server.js';
import { silentLogger, standIn } from '#libs/rpc/stand-in.js';
import { faultOfCall } from '#libs/rpc/status.js';
import { assert, suite } from '#libs/testing/suite.js';
import { type EdgeUnderTest, good, goodHeaders, startEdgeUnderTest } from '../services/bff/test/edge-under-test.js';
import { detailsOf } from './status-details.js';

const test = suite('conventions of errors');
const faultReasons = Object.keys(faultCatalogue) as FaultReason[];
const chinese = /[\u4e00-\u9fff]/;
const violations = [
  { field: 'lines[0].quantity', description: 'must be at least 1' },
  { field: 'store_id', description: 'must be set' },
];

let thrown: Fault;
let server: RpcServer;
let client: Client;
let edge: EdgeUnderTest;

test.before(async () => {
  const fail = async (): Promise<never> => {
    throw thrown;
  };
  server = await startServer({
    address: '127.0.0.1:0',
    services: [standIn({ getClaim: fail })],
    logger: silentLogger,
    drainMs: 100,
    maxRequestBytes: 10_000,
  });
  client = new Client(server.address, credentials.createInsecure());
  edge = await startEdgeUnderTest();
});
test.before.each(() => edge.reset());
test.after(async () => {
  client.close();
  await Promise.all([server.drain(), edge.close()]);
});

const asIs = (bytes: Buffer): Buffer => bytes;
const claims = '/holdfast.inventory.v1.InventoryService/GetClaim';

/** The error of a call, as it came over the wire. */
function errorOf(path: string, { language = '', bytes = Buffer.alloc(0) } = {}): Promise<ServiceError> {
  const metadata = new Metadata();
  if (language !== '') metadata.set('accept-language', language);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, { deadline: Date.now() + 5_000 }, (error) =>
      error ? resolve(error) : reject(new Error('it was accepted')),
    );
  });
}

/** What the order service refuses with, and all facts it may have. */
function refusedFor(reason: RefusalReason) {
  const limits = { limit: 2, scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED, slotPast: false, ownOrderId: '' };
  const times = { nextReleaseAt: undefined, opensAt: undefined, closedAt: undefined };
  return { refusal: { reason, skuId: 'sku-1', free: 1, ...limits, ...times }, ownOrder: undefined };
}

test('gRPC: every fault has one ErrorInfo with reason, domain and each variable part', async () => {
  for (const reason of faultReasons) {
    thrown = new Fault(reason, titleOf(reason), { metadata: { sku_id: 'sku-1', fault_id: 'f' }, violations });
    const error = await errorOf(claims);
    assert.is(statusCode[error.code], faultCatalogue[reason].code, reason);
    const { infos, bad } = detailsOf(error);
    assert.equal(infos, [{ reason, domain: 'holdfast', metadata: { sku_id: 'sku-1', fault_id: 'f' } }]);
    const named = bad.map(({ fieldViolations }) =>
      fieldViolations.map(({ field, description }) => ({ field, description })),
    );
    assert.equal(named, [violations], reason);
  }
});

test('gRPC: whoever met RESOURCE_EXHAUSTED or UNAVAILABLE is told when to come again', async () => {
  for (const reason of faultReasons) {
    thrown = new Fault(reason, titleOf(reason), { metadata: { fault_id: 'f' } });
    const error = await errorOf(claims);
    const isToCome = [statusCode.RESOURCE_EXHAUSTED, statusCode.UNAVAILABLE].includes(error.code);
    if (isToCome) assert.is(detailsOf(error).retries.length, 1, reason);
  }
});

test('gRPC: one LocalizedMessage, in the language of the metadata accept-language', async () => {
  for (const reason of faultReasons) {
    thrown = new Fault(reason, titleOf(reason), { metadata: { sku_id: 'sku-1', fault_id: 'f' } });
    for (const [language, locale] of [
      ['', 'en'],
      ['fr', 'en'],
      ['en;q=0.5, zh-CN', 'zh-CN'],
    ] as const) {
      const [message, ...more] = detailsOf(await errorOf(claims, { language })).messages;
      assert.equal([message?.locale, more], [locale, []], reason);
      assert.is(chinese.test(message?.message ?? ''), locale === 'zh-CN', `${reason}: ${message?.message}`);
    }
  }
});

test('gRPC: what the transport refuses by itself has a reason too, in the language asked for', async () => {
  for (const bytes of [Buffer.alloc(10_001), Buffer.from('0a05ff', 'hex')]) {
    const { infos, messages } = detailsOf(await errorOf(claims, { bytes, language: 'zh' }));
    assert.equal([infos[0]?.reason, messages[0]?.locale], ['INVALID_REQUEST', 'zh-CN']);
  }
});

test('gRPC: a method that is not served is METHOD_UNKNOWN, with its name', async () => {
  for (const path of [
    '/holdfast.inventory.v1.InventoryService/StealUnits',
    '/nobody.v1.Nothing/Do',
    `/${'x'.repeat(2_000)}`,
  ]) {
    const error = await errorOf(path, { language: 'zh-CN', bytes: Buffer.from('0a0178', 'hex') });
    assert.is(error.code, statusCode.UNIMPLEMENTED);
    const { infos, messages } = detailsOf(error);
    assert.equal(infos, [{ reason: 'METHOD_UNKNOWN', domain: 'holdfast', metadata: { method: path.slice(1, 201) } }]);
    assert.match(messages[0]?.message ?? '', chinese);
  }
});

test('gRPC: a RESOURCE_EXHAUSTED of the transport is never read as a rate limit; one with a reason is', () => {
  const bare = { code: statusCode.RESOURCE_EXHAUSTED, details: 'message too large', metadata: new Metadata() };
  const read = faultOfCall(Object.assign(new Error(bare.details), bare));
  assert.is(read.reason, 'INTERNAL');
  assert.is(read.retryAfterMs, undefined);
});

test('HTTP: every fault is a problem with all its members, in either language', async () => {
  const path = '/v1/orders/order-1';
  for (const reason of faultReasons) {
    edge.asked.fault = new Fault(reason, titleOf(reason), { metadata: { sku_id: 'sku-1', fault_id: 'f' } });
    for (const [language, locale] of [
      ['', 'en'],
      ['en-GB', 'en'],
      ['de, zh-Hans;q=0.7', 'zh-CN'],
    ] as const) {
      const headers = { ...goodHeaders, ...(language !== '' && { 'accept-language': language }) };
      const answer = await edge.ask(path, { headers });
      const { body } = answer;
      assert.is(answer.status, faultCatalogue[reason].httpStatus, reason);
      assert.is(answer.headers.get('content-type'), 'application/problem+json');
      assert.is(answer.headers.get('content-language'), locale);
      assert.match(answer.headers.get('vary') ?? '', 'Accept-Language');
      assert.equal([body.status, body.reason, body.instance], [answer.status, reason, path]);
      assert.is(body.type, `/problems/${reason.toLowerCase().replaceAll('_', '-')}`);
      assert.is(body.title, localized(reason, locale).title);
      assert.is(chinese.test(String(body.detail)), locale === 'zh-CN', `${reason}: ${body.detail}`);
      assert.type(body.request_id, 'string');
      if (answer.status === 429 || answer.status === 503)
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    }
  }
});

test('HTTP: every refusal is 409 with its facts, in either language; sold out is never 429', async () => {
  for (const reason of Object.keys(refusalCatalogue) as (keyof typeof refusalCatalogue)[]) {
    edge.asked.answer = () => ({ $case: 'refused', value: refusedFor(RefusalReason[`REFUSAL_REASON_${reason}`]) });
    for (const [language, locale] of [
      ['en', 'en'],
      ['zh', 'zh-CN'],
    ] as const) {
      const answer = await edge.post(good, { ...goodHeaders, 'accept-language': language });
      assert.equal([answer.status, answer.body.reason, answer.body.sku_id], [409, reason, 'sku-1']);
      assert.equal(
        [answer.body.title, answer.headers.get('content-language')],
        [localized(reason, locale).title, locale],
      );
      assert.is(chinese.test(String(answer.body.detail)), locale === 'zh-CN', `${reason}: ${answer.body.detail}`);
    }
  }
});

test('a reason that may be met again after a delay is never one that changes nothing by waiting', () => {
  for (const reason of reasons) {
    const { again, retryAfterMs, httpStatus } = catalogue[reason];
    if (retryAfterMs !== undefined) assert.ok(again === 'AFTER_DELAY' || again === 'OUTCOME_UNKNOWN', reason);
    if (httpStatus === 429 || httpStatus === 503) assert.type(retryAfterMs, 'number', reason);
  }
});

test.run();
