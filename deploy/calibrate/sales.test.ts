import { assert, suite } from '#libs/testing/suite.js';
import { sampleSkus } from '../local/samples.js';
import { parseSales, sampleSales } from './sales.js';

const test = suite('expected sales');

const mug = { storeId: 'kiln', skuId: 'mug', units: 200, crowd: 1_000, over_seconds: 5, target_seconds: 10 };

test('JSON and CSV say the same', () => {
  const json = '[{"store":"kiln","sku":"mug","units":200,"crowd":1000,"over_seconds":5}]';
  assert.equal(parseSales(json, 'file'), [mug]);
  assert.equal(parseSales('store,sku,units,crowd,over_seconds\nkiln,mug,200,1000,5\n', 'file'), [mug]);
  const spaced =
    '\r\nsku, store, over_seconds, crowd, units, target_seconds\r\n mug , kiln , 5 , 1000 , 200 , 4 \r\n\r\n';
  assert.equal(parseSales(spaced, 'file'), [{ ...mug, target_seconds: 4 }]);
});

test('everything that is wrong is said at once, with its place', () => {
  const csv =
    'store,sku,units,crowd,over_seconds,target_seconds\nkiln,mug,0,many,-5,0\nthe kiln,,5,5,5,\na,b,1,1,1,1\na,b,1,1,1,1';
  assertProblems(csv, [
    'file row 1: units is no whole number',
    'file row 1: crowd is no whole number',
    'file row 1: over_seconds is no number from 0',
    'file row 1: target_seconds is not above 0',
    'file row 2: store is not 1 to 128',
    'file row 2: sku is not 1 to 128',
    'file: has a b twice',
  ]);
  assertProblems('[{"store":"kiln","sku":"mug","unit":1}]', [
    'file sales[0]: unit is not known',
    'sales[0]: units is no',
  ]);
});

test('titles that are missing, and a file without sales, are said to be so', () => {
  assertProblems('kiln,mug,200,1000,5\n', ['the first line lacks store, sku, units, crowd, over_seconds']);
  assertProblems('store,sku,units,crowd,over_seconds\n', ['file: has no sale']);
  assertProblems('[]', ['file: has no sale']);
  assertProblems('[{', ['file is no JSON']);
});

test('every sample sku has a crowd', () => {
  const now = new Date('2026-03-04');
  assert.equal(
    sampleSales(now).map(({ skuId, units }) => [skuId, units]),
    sampleSkus(now).map(({ skuId, capacity }) => [skuId, capacity]),
  );
});

function assertProblems(text: string, expected: string[]): void {
  let problems = '';
  try {
    parseSales(text, 'file');
  } catch (error) {
    problems = (error as Error).message;
  }
  for (const problem of expected) assert.ok(problems.includes(problem), `${problem} in ${problems}`);
}

test.run();
