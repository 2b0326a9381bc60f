import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { OrderLine } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { assert, suite } from '#libs/testing/suite.js';
import { encode } from './definition.js';

const test = suite('messages on the wire');
const line = { skuId: 'sku', quantity: 2, attendeeId: 'someone', unitPriceMinor: 1500 };

test('what was encoded stays as it is when the next message is encoded', () => {
  const first = encode(OrderLine, line);
  const second = encode(OrderLine, { ...line, skuId: 'another' });
  assert.equal(OrderLine.decode(first), line);
  assert.is(OrderLine.decode(second).skuId, 'another');
});

test('nothing of a message that cannot be encoded is in the next one', () => {
  assert.throws(() => encode(OrderLine, { ...line, unitPriceMinor: Number.NaN }));
  assert.equal(encode(OrderLine, line), Buffer.from(OrderLine.encode(line, new BinaryWriter()).finish()));
});

test.run();
