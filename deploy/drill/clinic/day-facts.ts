import { readFileSync } from 'node:fs';
import type { Stage } from '../stage.js';
import { type Day, STORE } from './day-plan.js';
import type { HoldFacts } from './hold-figures.js';
import type { EntryFacts, TakingFacts } from './overtaken.js';
import type { PaymentFacts } from './unaccounted-payments.js';

const DAY_ENTRIES = readFileSync(new URL('./sql/day_entries.sql', import.meta.url), 'utf8');
const DAY_TAKINGS = readFileSync(new URL('./sql/day_takings.sql', import.meta.url), 'utf8');
const DAY_PAYMENTS = readFileSync(new URL('./sql/day_payments.sql', import.meta.url), 'utf8');
const DAY_HOLDS = readFileSync(new URL('./sql/day_holds.sql', import.meta.url), 'utf8');

/** What the ledger keeps of a day, read past all services when everything is at rest. */
export interface DayFacts {
  entries: EntryFacts[];
  takings: TakingFacts[];
  payments: PaymentFacts[];
  holds: HoldFacts[];
}

export async function readDay({ sql }: Pick<Stage, 'sql'>, { slots }: Day): Promise<DayFacts> {
  const skuIds = slots.map(({ skuId }) => skuId);
  return {
    entries: await sql<EntryFacts>(DAY_ENTRIES, [skuIds]),
    takings: await sql<TakingFacts>(DAY_TAKINGS, [skuIds]),
    payments: await sql<PaymentFacts>(DAY_PAYMENTS, [STORE]),
    holds: await sql<HoldFacts>(DAY_HOLDS, [STORE]),
  };
}
