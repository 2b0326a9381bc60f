import { RefusalReason as WireReason } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import { assert, suite } from '#libs/testing/suite.js';
import { catalogue, reasons, refusalCatalogue } from './catalogue.js';
import { localized } from './localize.js';
import { en } from './texts/en.js';
import { zhCn } from './texts/zh-cn.js';

const test = suite('catalogue of reasons');

const everyText = reasons.flatMap((reason) =>
  Object.entries({ en: en[reason], 'zh-CN': zhCn[reason] }).map(([locale, text]) => ({ reason, locale, text })),
);

function sentencesOf(text: (typeof everyText)[number]['text']): string[] {
  return text.detail.map((sentence) => (typeof sentence === 'string' ? sentence : sentence.say));
}

test('it has every refusal of the contract, by the same words', () => {
  const wire = Object.keys(WireReason)
    .filter((name) => name.startsWith('REFUSAL_REASON_') && name !== 'REFUSAL_REASON_UNSPECIFIED')
    .map((name) => name.slice('REFUSAL_REASON_'.length));
  assert.equal(Object.keys(refusalCatalogue).sort(), wire.sort());
});

test('whoever may come back after a delay over gRPC is told the delay', () => {
  for (const [reason, { code, retryAfterMs }] of Object.entries(catalogue)) {
    if (code === 'UNAVAILABLE' || code === 'RESOURCE_EXHAUSTED' || code === 'DEADLINE_EXCEEDED')
      assert.type(retryAfterMs, 'number', reason);
  }
});

test('the last sentence of every reason needs no fact, so that there is always one', () => {
  for (const { reason, locale, text } of everyText) {
    assert.not.match(sentencesOf(text).at(-1) ?? '{', /[{}]/, `${reason} ${locale}`);
    assert.ok(localized(reason, locale as 'en').detail({}).length > 0);
  }
});

test('both languages name the same facts, but for what a fault says in English', () => {
  const factsOf = (text: (typeof everyText)[number]['text']): string[] => {
    const named = sentencesOf(text).flatMap((sentence) =>
      [...sentence.matchAll(/\{(\w+)/g)].map(([, name]) => name ?? ''),
    );
    return [...new Set(named)].filter((name) => name !== 'message').sort();
  };
  const saysItself = new Set<string>(['TOKEN_INVALID', 'ORDER_STATE']);
  for (const reason of reasons) {
    if (!saysItself.has(reason)) assert.equal(factsOf(zhCn[reason]), factsOf(en[reason]), reason);
  }
});

test('Chinese is Chinese, with its own punctuation', () => {
  const wide = /[\u4e00-\u9fff]/;
  for (const { reason, text } of everyText.filter(({ locale }) => locale === 'zh-CN')) {
    for (const said of [text.title, text.next, ...sentencesOf(text)]) {
      assert.match(said, wide, reason);
      assert.not.match(said, /[\u4e00-\u9fff][,;:?!]/, reason);
    }
  }
});

test('the sentence is the first that fits what is known', () => {
  const { detail } = localized('NOT_ENOUGH', 'en');
  assert.match(detail({ sku_id: 'a', free: 1 }), /^Of a only 1 is free\./);
  assert.match(detail({ sku_id: 'a', free: 2 }), /^Of a only 2 are free\./);
  assert.match(localized('NOT_ENOUGH', 'zh-CN').detail({ sku_id: 'a', free: 2 }), /^a 仅剩 2 份。/);
  const limit = localized('LIMIT_REACHED', 'en').detail;
  assert.match(limit({ scope: 'OPEN_ORDERS', limit: 1 }), /more than 1 unpaid order at/);
  assert.match(limit({ limit: 3, sku_id: 'a' }), /^Nobody may have more than 3 of a\./);
  assert.match(localized('NOT_ON_SALE', 'en').detail({ sku_id: 'a' }), /is over/);
});

test('a reason of a newer peer gets a sentence too', () => {
  assert.is(localized('OF_TOMORROW', 'en').detail({}), 'Nothing was taken.');
  assert.match(localized('constructor', 'zh-CN').title, /拒绝/);
});

test.run();
