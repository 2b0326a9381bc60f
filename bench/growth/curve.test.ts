import { assert, suite } from '#libs/testing/suite.js';
import { type Curve, curveTable } from './curve.js';
import { plotCurve } from './curve-plot.js';

const test = suite('curves');

const curve: Curve = {
  of: '<skus>',
  points: [
    { size: 1, figures: { 'orders/s': 100, MB: 1 } },
    { size: 1_000, figures: { 'orders/s': 50 } },
    { size: 1_000_000, figures: { 'orders/s': 150, MB: 9.87654 } },
  ],
};

const numbers = (svg: string, attribute: string): number[] =>
  [...svg.matchAll(new RegExp(`<circle[^>]* ${attribute}="([\\d.]+)"`, 'g'))].map(([, value]) => Number(value));

test('a table has a row for each size, and a dash for what was not measured', () => {
  assert.equal(curveTable(curve).split('\n'), [
    '   <skus>  orders/s    MB',
    '        1       100     1',
    '    1,000        50     -',
    '1,000,000       150  9.88',
  ]);
});

test('a plot has a dot for each figure that was measured, the larger ones higher, equal factors equally far apart', () => {
  const svg = plotCurve('orders', curve);
  const [x, y] = [numbers(svg, 'cx'), numbers(svg, 'cy')];
  assert.is(x.length, 5);
  const [first = 0, second = 0, third = 0] = x;
  assert.ok(Math.abs(second - first - (third - second)) < 0.001);
  assert.ok((y[2] ?? 0) < (y[0] ?? 0) && (y[0] ?? 0) < (y[1] ?? 0));
});

test('what is written in a plot is text, whatever it holds', () => {
  assert.match(plotCurve('orders', curve), '&lt;skus&gt;');
  assert.not.match(plotCurve('orders', curve), '<skus>');
});

test('one size alone, and nothing but zero, can be drawn', () => {
  const svg = plotCurve('errors', { ...curve, points: [{ size: 7, figures: { errors: 0 } }] });
  assert.not.match(svg, 'NaN');
});

test.run();
