import { assert, suite } from '#libs/testing/suite.js';
import { localeOf } from './locale.js';

const test = suite('localeOf');

test('the language is the one wanted most of those there are, English when none is', () => {
  const expected: Record<string, string> = {
    zh: 'zh-CN',
    'zh-CN,zh;q=0.9,en;q=0.8': 'zh-CN',
    'zh-Hans-SG': 'zh-CN',
    'ZH-cn': 'zh-CN',
    'zh-TW': 'zh-CN',
    'en-GB, zh;q=0.9': 'en',
    'en;q=0.4, zh-CN;q=0.5': 'zh-CN',
    'zh;q=0, en;q=0.1': 'en',
    'zh;q=0': 'en',
    'de, fr;q=0.9': 'en',
    'de, zh;q=0.1': 'zh-CN',
    '*': 'en',
    '*, zh;q=0.5': 'en',
    'zh;q=nonsense': 'en',
    'zh;q=2': 'en',
    '': 'en',
    ',;=': 'en',
  };
  for (const [header, locale] of Object.entries(expected)) {
    assert.is(localeOf(header), locale, header);
    assert.is(localeOf(header), locale, `${header} again`);
  }
  assert.is(localeOf(undefined), 'en');
  assert.is(localeOf(`zh,${'x'.repeat(1_000)}`), 'en');
});

test.run();
