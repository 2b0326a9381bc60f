import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsDirectory } from '../frame/results.js';
import type { Survey } from '../frame/survey.js';
import { curveTable, type MeasureCurve } from './curve.js';
import { plotCurve } from './curve-plot.js';
import { holdsCurve } from './holds.js';
import { processesCurve, shardsCurve } from './meshes.js';
import { skusCurve } from './skus.js';
import { waitlistCurve } from './waitlist.js';

const chartsDirectory = join(resultsDirectory, 'charts');

/** What becomes of speed, cost and size while one thing grows and the rest stays. */
export const growth: readonly Survey[] = [
  growthOf('skus', 'orders while more and more skus are in the ledger', skusCurve),
  growthOf('holds', 'orders while more and more orders are in the ledger, all of them live holds', holdsCurve),
  growthOf('waitlist', 'the line of one sku, longer and longer', waitlistCurve),
  growthOf('shards', 'what an order costs, by shards', shardsCurve),
  ...(['gateway', 'inventory', 'order', 'scheduler'] as const).map((service) =>
    growthOf(service, `what an order costs, by processes of ${service}`, processesCurve(service)),
  ),
];

function growthOf(name: string, title: string, measure: MeasureCurve): Survey {
  const id = `growth-${name}`;
  return {
    id,
    title,
    apart: true,
    survey: async (context) => {
      const { violations, ...curve } = await measure(context);
      mkdirSync(chartsDirectory, { recursive: true });
      const chart = join(chartsDirectory, `${id}.svg`);
      writeFileSync(chart, plotCurve(title, curve));
      return { text: `${curveTable(curve)}\n\nchart: ${chart}`, figures: curve, violations };
    },
  };
}
