import { assert, suite } from '#libs/testing/suite.js';
import { disbelief, isWebhookSecret, signWebhook } from './signature.js';

const test = suite('webhook signature');
// The example of the specification of Standard Webhooks 1.0.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const at = new Date(1_614_265_330_000);
const other = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

function received(changed: Partial<Record<'id' | 'timestamp' | 'signature' | 'body', string>> = {}) {
  const headers = signWebhook(secret, { id, at, body });
  const { id: ownId, timestamp, signature, body: ownBody = body } = changed;
  return {
    id: ownId ?? headers['webhook-id'],
    timestamp: timestamp ?? headers['webhook-timestamp'],
    signature: signature ?? headers['webhook-signature'],
    body: Buffer.from(ownBody),
  };
}

test('signs as the example of the specification', () => {
  const { 'webhook-signature': signature } = signWebhook(secret, { id, at, body });
  assert.is(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('believes what was signed with either of two secrets', () => {
  assert.is(disbelief([other, secret], received(), at), undefined);
  const both = `v1,AAAA ${received().signature}`;
  assert.is(disbelief([secret], received({ signature: both }), at), undefined);
});

test('does not believe another body, id, timestamp, secret or version', () => {
  assert.is(disbelief([secret], received({ body: '{"test": 2432232315}' }), at), 'SIGNATURE_WRONG');
  assert.is(disbelief([secret], received({ id: 'msg_2' }), at), 'SIGNATURE_WRONG');
  assert.is(disbelief([secret], received({ timestamp: '1614265331' }), at), 'SIGNATURE_WRONG');
  assert.is(disbelief([other], received(), at), 'SIGNATURE_WRONG');
  assert.is(disbelief([], received(), at), 'SIGNATURE_WRONG');
  assert.is(disbelief([secret], received({ signature: received().signature.replace('v1,', 'v2,') }), at), 'UNSIGNED');
});

test('does not believe what bears no signature, or an id that could hide a dot', () => {
  for (const signature of ['', 'v1', 'v1a,AAAA']) {
    assert.is(disbelief([secret], received({ signature }), at), 'UNSIGNED');
  }
  assert.is(disbelief([secret], received({ id: 'msg.1' }), at), 'UNSIGNED');
  assert.is(disbelief([secret], { ...received(), timestamp: undefined }, at), 'UNSIGNED');
});

test('believes a timestamp within five minutes, before and after', () => {
  const minutes = (count: number): Date => new Date(at.getTime() + count * 60_000);
  assert.is(disbelief([secret], received(), minutes(5)), undefined);
  assert.is(disbelief([secret], received(), minutes(-5)), undefined);
  assert.is(disbelief([secret], received(), minutes(5.1)), 'TIMESTAMP_FAR');
  assert.is(disbelief([secret], received(), minutes(-5.1)), 'TIMESTAMP_FAR');
});

test('knows a secret by its prefix and its length', () => {
  assert.ok(isWebhookSecret(secret));
  assert.not(isWebhookSecret('whsec_c2hvcnQ='));
  assert.not(isWebhookSecret(secret.slice(6)));
});

test.run();
