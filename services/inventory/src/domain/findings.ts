/** Something that does not fit, as far as it is judged here. */
export interface FoundThing {
  readonly kind: string;
  readonly skuId?: string;
  readonly orderId?: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly remedy: string;
  readonly mended: boolean;
}

/** An alert about what was found. */
export interface FoundAlert {
  kind: 'OVERSOLD' | 'DRIFT' | 'MONEY_UNACCOUNTED';
  subject: string;
  skuId?: string;
  facts: Record<string, unknown>;
  command: string;
}

/** Found money that pays for nothing, or an order that nothing pays for. */
const MONEY = [
  ...['PAYMENT_NOT_SETTLED', 'PAYMENT_WITHOUT_ORDER', 'PAYMENT_MISSING'],
  ...['REFUND_MISSING', 'REFUND_TOO_MUCH'],
];
/** Kinds that are no drift: an operator may have lowered a limit, and what is late has alerts of its own. */
const NO_DRIFT = ['LIMIT_EXCEEDED', 'EVENTS_UNPUBLISHED', 'CLAIMS_LATE'];

/**
 * What makes it the same thing when it is found again: figures that move with sales are left out, by how much they differ
 * is not.
 */
export function identityOf({ kind, skuId, orderId, detail }: FoundThing): string {
  return JSON.stringify([kind, skuId ?? '', orderId ?? '', detail.differs ?? detail]);
}

/** What a person should look at: of each sku, or order, one alert of a kind. {plan} stands for the plan's id. */
export function alertsOf(findings: readonly FoundThing[]): FoundAlert[] {
  const open = findings.filter(({ mended, kind }) => !mended && !NO_DRIFT.includes(kind));
  const money = open.filter(({ kind }) => MONEY.includes(kind));
  const drift = open.filter(({ kind }) => !MONEY.includes(kind));
  return [
    ...drift.flatMap(oversoldAlert),
    ...[...bySubject(drift, ({ skuId, orderId }) => skuId ?? orderId ?? '')].map(driftAlert),
    ...[...bySubject(money, ({ orderId }) => orderId ?? '')].map(([subject, things]) => ({
      ...alert('MONEY_UNACCOUNTED', subject, things),
      command: `holdfast explain order ${subject}`,
    })),
  ];
}

/** Live orders have more than there is: the counters, which hold fast, can only be wrong then. */
function oversoldAlert({ kind, skuId, detail }: FoundThing): FoundAlert[] {
  const ofLines = detail.of_lines as { held?: number; sold?: number } | undefined;
  if (kind !== 'STOCK_NOT_OF_LINES' || skuId === undefined || ofLines === undefined) return [];
  const taken = Number(ofLines.held) + Number(ofLines.sold) + Number(detail.reserved);
  const has = Number(detail.capacity) + Number(detail.overbooked);
  if (taken <= has) return [];
  const facts = { capacity: detail.capacity, overbooked: detail.overbooked, ...ofLines, by: taken - has };
  return [{ kind: 'OVERSOLD', subject: skuId, skuId, facts, command: `holdfast prove ${skuId}` }];
}

function driftAlert([subject, things]: [string, FoundThing[]]): FoundAlert {
  const skuId = things[0]?.skuId;
  const look = skuId === undefined ? `holdfast explain order ${subject}` : `holdfast prove ${skuId}`;
  const isRepairable = things.some(({ remedy }) => remedy !== '');
  return { ...alert('DRIFT', subject, things), command: isRepairable ? 'holdfast reconcile apply {plan}' : look };
}

function alert(kind: FoundAlert['kind'], subject: string, things: readonly FoundThing[]): Omit<FoundAlert, 'command'> {
  const facts: Record<string, number> = {};
  for (const thing of things) facts[thing.kind] = (facts[thing.kind] ?? 0) + 1;
  const skuId = things[0]?.skuId;
  return { kind, subject, ...(skuId !== undefined && { skuId }), facts };
}

function bySubject(things: readonly FoundThing[], subjectOf: (thing: FoundThing) => string): Map<string, FoundThing[]> {
  const groups = new Map<string, FoundThing[]>();
  for (const thing of things) {
    const subject = subjectOf(thing);
    const group = groups.get(subject);
    if (group) group.push(thing);
    else groups.set(subject, [thing]);
  }
  return groups;
}
