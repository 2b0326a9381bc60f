import { assert, suite } from '#libs/testing/suite.js';
import { boardOf, type StockSetting, type Switched, stockSetting, wayIn, wayOn } from './path.js';

const test = suite('path');
const now = new Date('2030-01-01T00:00:00Z');
const later = new Date(now.getTime() + 1);

function set(setting: Switched['setting'], scope = {}, parts: Partial<Switched> = {}): Switched {
  const where = { kind: 'ALL', storeId: '', skuId: '', ...scope };
  return { name: 'STOCK_PATH', scope: where, setting, ...parts };
}
const forStore = (setting: StockSetting, storeId: string) => set(setting, { kind: 'STORE', storeId });
const forSku = (setting: StockSetting, skuId: string) => set(setting, { kind: 'SKU', storeId: 's', skuId });
const settingOf = (switches: Switched[], ...skuIds: string[]): StockSetting =>
  stockSetting(boardOf(switches, now), 's', skuIds);

test('the narrowest scope that has a word of its own decides', () => {
  assert.is(settingOf([], 'a'), 'AUTO');
  assert.is(settingOf([set('POSTGRES')], 'a'), 'POSTGRES');
  assert.is(settingOf([set('POSTGRES'), forStore('REDIS', 's')], 'a'), 'REDIS');
  assert.is(settingOf([set('POSTGRES'), forStore('REDIS', 't')], 'a'), 'POSTGRES');
  assert.is(settingOf([forStore('REDIS', 's'), forSku('POSTGRES', 'a')], 'a'), 'POSTGRES');
  assert.is(settingOf([forStore('REDIS', 's'), forSku('POSTGRES', 'a')], 'b'), 'REDIS');
});

test('AUTO, and a switch that has expired, is no word: the next wider scope decides', () => {
  assert.is(settingOf([set('POSTGRES'), forSku('AUTO', 'a')], 'a'), 'POSTGRES');
  assert.is(settingOf([set('POSTGRES'), { ...forSku('REDIS', 'a'), expiresAt: now }], 'a'), 'POSTGRES');
  assert.is(settingOf([set('POSTGRES'), { ...forSku('REDIS', 'a'), expiresAt: later }], 'a'), 'REDIS');
});

test('an order with several skus goes straight when one of them does, and has no fallback when one of them has none', () => {
  assert.is(settingOf([forSku('POSTGRES', 'b'), forSku('REDIS', 'a')], 'a', 'b'), 'POSTGRES');
  assert.is(settingOf([forSku('REDIS', 'b')], 'a', 'b'), 'REDIS');
  assert.is(settingOf([forSku('REDIS', 'c')], 'a', 'b'), 'AUTO');
});

test('a board says until when it holds', () => {
  assert.is(boardOf([set('POSTGRES')], now).holdsUntilMs, Number.POSITIVE_INFINITY);
  const soon = set('POSTGRES', {}, { expiresAt: later });
  assert.is(boardOf([soon, set('DIRECT', {}, { name: 'ORDER_PATH' })], now).holdsUntilMs, later.getTime());
});

test('on AUTO a gate that does not answer is gone round; REDIS never is, and POSTGRES has no gate', () => {
  assert.equal([wayIn('AUTO', true), wayIn('AUTO', false)], ['GATE', 'STRAIGHT']);
  assert.equal([wayIn('REDIS', true), wayIn('REDIS', false)], ['GATE', 'NOWHERE']);
  assert.equal([wayIn('POSTGRES', true), wayIn('POSTGRES', false)], ['STRAIGHT', 'STRAIGHT']);
});

test('likewise the stream', () => {
  const board = boardOf([set('STREAM', {}, { name: 'ORDER_PATH' })], now);
  assert.equal([board.orderPath, board.all], ['STREAM', 'AUTO']);
  assert.equal([wayOn('AUTO', true), wayOn('AUTO', false)], ['STREAM', 'DIRECT']);
  assert.equal([wayOn('STREAM', true), wayOn('STREAM', false)], ['STREAM', 'NOWHERE']);
  assert.equal([wayOn('DIRECT', true), wayOn('DIRECT', false)], ['DIRECT', 'DIRECT']);
});

test.run();
