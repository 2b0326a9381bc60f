import type { Paint } from '#libs/terminal/paint.js';
import { type Column, renderFacts, renderTable } from '#libs/terminal/table.js';
import { type Finding, type Plan, partsOfPlan } from '../../domain/plan.js';
import { factsText } from '../facts.js';
import { instantText } from '../time-text.js';

const planColumns: Column[] = [
  { title: 'plan', side: 'right' },
  { title: 'state' },
  { title: 'made at' },
  { title: 'made by' },
  { title: 'skus', side: 'right' },
  { title: 'orders', side: 'right' },
  { title: 'found', side: 'right' },
  { title: 'mended', side: 'right' },
  { title: 'applied at' },
  { title: 'applied by' },
];

/** Plans, a line each. */
export function plansTable(plans: readonly Plan[], paint: Paint): string {
  if (plans.length === 0) return 'there is no plan yet; holdfast reconcile plan makes one';
  return renderTable(
    planColumns,
    plans.map((plan) => planRow(plan, paint)),
  );
}

/** A plan, what it found, and what to do next. */
export function planText(plan: Plan, paint: Paint): string {
  const parts = [plansTable([plan], paint)];
  if (plan.findings.length > 0) parts.push(findingsText(plan.findings, paint));
  const left = plan.findingsCount - plan.findings.length;
  if (left > 0 && plan.findings.length > 0) parts.push(`and ${figure(left)} more, which are not listed`);
  return [...parts, nextLine(plan, paint)].join('\n\n');
}

/** What a plan that was applied has mended, how, and what is left. */
export function appliedText(plan: Plan, paint: Paint): string {
  const { repaired, left } = partsOfPlan(plan.findings);
  const parts = [plansTable([plan], paint)];
  if (repaired.length > 0) parts.push(`mended:\n${findingsText(repaired, paint, 'done')}`);
  if (left.length > 0) parts.push(`left as it is:\n${findingsText(left, paint)}`);
  const listed = plan.findings.length;
  if (plan.findingsCount > listed) parts.push(`and ${figure(plan.findingsCount - listed)} more, which are not listed`);
  const person = left.length > 0 ? paint('yellow', `, ${figure(left.length)} left: a person has to look`) : '';
  return [...parts, `${paint('green', `${figure(repaired.length)} mended`)}${person}`].join('\n\n');
}

/** What does not fit, each with its figures and its remedy below it: on one line they would be too wide for any screen. */
export function findingsText(findings: readonly Finding[], paint: Paint, verb = 'remedy'): string {
  return findings
    .map(({ kind, skuId, orderId, detail, remedy, mended }) => {
      const about = [skuId, orderId].filter((id) => id !== '').join(', order ');
      const facts = renderFacts([
        ['figures', factsText(detail)],
        [verb, mended ? 'it has mended itself' : remedy || 'none: a person has to look'],
      ]);
      return `${paint('bold', kind)} of ${about}\n${facts}`;
    })
    .join('\n');
}

function planRow(plan: Plan, paint: Paint): string[] {
  return [
    String(plan.planId),
    plan.state === 'open' ? paint('yellow', plan.state) : plan.state,
    instantText(plan.madeAt),
    plan.madeBy,
    figure(plan.skus),
    figure(plan.orders),
    figure(plan.findingsCount),
    figure(plan.mended),
    instantText(plan.appliedAt),
    plan.appliedBy || '-',
  ];
}

function nextLine({ planId, state, findingsCount, mended }: Plan, paint: Paint): string {
  const command = paint('bold', `holdfast reconcile apply ${planId} --reason "…"`);
  if (state === 'open') return `${figure(findingsCount - mended)} to decide; next: ${command}, within 15 minutes`;
  if (state === 'stale') return 'things are not as it found them any more; next: holdfast reconcile plan';
  if (state === 'applied') return paint('green', 'it was applied');
  return paint('green', 'everything fits together');
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
