import type { Paint } from '#libs/terminal/paint.js';
import { renderFacts, renderTable } from '#libs/terminal/table.js';
import type { Proof, Units } from '../../domain/proof.js';
import { durationText, instantText } from '../time-text.js';
import { findingsText } from './plan-table.js';

const terms = ['capacity', 'overbooked', 'free', 'reserved', 'held', 'sold'] as const;
const right = 'right' as const;

/** Every figure twice, gate and stream beside them, and the verdict. */
export function proofText(proof: Proof, paint: Paint): string {
  const parts = [
    `${paint('bold', proof.skuId)} ${proof.title}, at ${instantText(proof.at)}`,
    unitsTable(proof, paint),
    renderFacts([
      ['orders', ordersText(proof.orders)],
      ['gate', gateText(proof)],
      ['stream', proof.streamMessages < 0 ? 'not known' : `${figure(proof.streamMessages)} claims of its shard wait`],
    ]),
  ];
  if (proof.findings.length > 0) parts.push(findingsText(proof.findings, paint));
  return [...parts, verdict(proof, paint)].join('\n\n');
}

function unitsTable({ kept, ofOrders, ofMovements }: Proof, paint: Paint): string {
  const columns = [
    { title: '' },
    { title: 'kept', side: right },
    { title: 'of orders', side: right },
    { title: 'of movements', side: right },
  ];
  const rows = terms.map((term) => {
    const figures = [kept, ofOrders, ofMovements].map((units) => units?.[term]);
    const agree = figures.every((value) => value === undefined || value === kept?.[term]);
    const texts = figures.map((value) => (value === undefined ? '-' : figure(value)));
    return [term, ...texts.map((text) => (agree ? text : paint('red', text)))];
  });
  return renderTable(columns, rows);
}

function ordersText(orders: Proof['orders']): string {
  const words = Object.entries(orders).map(
    ([state, count]) => `${figure(count)} ${state.replace(/^ORDER_STATE_/, '')}`,
  );
  return words.join(', ') || 'none';
}

function gateText({ gate }: Proof): string {
  if (gate === undefined) return 'Redis does not answer, or there is none';
  if (!gate.loaded) return 'does not know the sku';
  const claims = `${figure(gate.undecided)} undecided of ${figure(gate.claims)} claims`;
  const oldest = gate.claims > 0 ? `, the oldest ${durationText(gate.oldestClaimMs)}` : '';
  return `would let ${figure(gate.letIn)} in, ${claims}${oldest}`;
}

function verdict({ conserved, oversold, kept }: Proof, paint: Paint): string {
  if (oversold) return paint('red', 'OVERSOLD: more units are held and sold than there are');
  if (!conserved) return paint('red', 'not conserved: the figures do not agree');
  return paint('green', `conserved${kept === undefined ? '' : `: ${sum(kept)}`}; not oversold`);
}

function sum({ capacity, overbooked, free, reserved, held, sold }: Units): string {
  return `${capacity} + ${overbooked} = ${free} free + ${reserved} reserved + ${held} held + ${sold} sold`;
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
