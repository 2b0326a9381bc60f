import type { SkuWish } from './import-skus.js';

const ZONE = 'Europe/Berlin';

/**
 * Three stores for a first look: a clinic and a salon with slots on the coming Monday, and a studio with a class that
 * evening and a product. The same for every start of one week, so that to put them on sale again changes nothing.
 */
export function sampleSkus(now: Date): SkuWish[] {
  const monday = comingMonday(now);
  const at = (time: string): Pick<SkuWish, 'startsAt' | 'timeZone'> => ({
    startsAt: instantOf(monday, time, ZONE),
    timeZone: ZONE,
  });
  const dated = (store: string, time: string): string => `${store}-${monday}-${time.replace(':', '')}`;
  const vaccinations = ['09:00', '09:20', '09:40', '10:00', '10:20', '10:40'].map(
    (time): SkuWish => ({
      skuId: dated('lindenhof', time),
      storeId: 'lindenhof',
      title: `Flu vaccination, Monday ${time}`,
      capacity: 4,
      paymentRequired: false,
      ...at(time),
    }),
  );
  const haircuts = ['10:00', '11:00', '14:00', '15:00'].map(
    (time): SkuWish => ({
      skuId: dated('aurora', time),
      storeId: 'aurora',
      title: `Haircut with Mira, Monday ${time}`,
      capacity: 1,
      priceMinor: 4200,
      ...at(time),
    }),
  );
  const wheel: SkuWish = {
    skuId: dated('kiln', '18:30'),
    storeId: 'kiln',
    title: 'Throwing on the wheel, Monday 18:30',
    capacity: 8,
    priceMinor: 3900,
    ...at('18:30'),
  };
  const mug: SkuWish = {
    skuId: 'kiln-mug',
    storeId: 'kiln',
    title: 'Ash-glazed mug, a firing of 200',
    capacity: 200,
    perUserLimit: 2,
    priceMinor: 2800,
  };
  return [...vaccinations, ...haircuts, wheel, mug];
}

/** The date of the Monday after today, `2026-03-30`, by the calendar of UTC. */
function comingMonday(now: Date): string {
  const daysAhead = (8 - now.getUTCDay()) % 7 || 7;
  return new Date(now.getTime() + daysAhead * 86_400_000).toISOString().slice(0, 10);
}

/** The instant at which clocks of that zone show that date and time. */
function instantOf(date: string, time: string, timeZone: string): Date {
  const asUtc = new Date(`${date}T${time}:00Z`);
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(asUtc);
  const offset = parts.find((part) => part.type === 'timeZoneName')?.value.replace('GMT', '') || '+00:00';
  return new Date(`${date}T${time}:00${offset}`);
}
