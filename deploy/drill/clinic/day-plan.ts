import { type Random, seededRandom } from '../../rush/random.js';

/** A day at the clinic, in minutes after its opening at 08:00. */
export interface DayPlan {
  seed: number;
  /** How many milliseconds a minute of the day takes. */
  minuteMs: number;
  /** How long a hold lasts: a whole number of seconds when it is run. */
  holdMinutes: number;
  /** Slots; as many people come first and take all that anybody waits for. */
  slots: number;
  people: number;
  /** Nobody comes for a slot that begins sooner than so many minutes. */
  notice: number;
  /** When the last person arrives, when the first slot begins, and when the last one does: the day is over then. */
  lastArrival: number;
  firstSlot: number;
  lastSlot: number;
}

export const HOLD_MINUTES = [5, 15, 30] as const;

/** 08:00 to 16:00 in 96 seconds. */
export const clinicDay: DayPlan = {
  ...{ seed: 1, minuteMs: 200, holdMinutes: 15, slots: 40, people: 900 },
  ...{ notice: 60, lastArrival: 330, firstSlot: 240, lastSlot: 480 },
};

export const STORE = 'clinic';
export const PRICE_MINOR = 2_500;

export interface Slot {
  skuId: string;
  capacity: number;
  startsAt: number;
}

/** How somebody pays whose hold is still there when the time comes; and, where they insist, also when it is not. */
export type Manner =
  | 'ONCE'
  /** The money is taken a second time. */
  | 'TWICE'
  /** One payment, and two notices of it. */
  | 'TOLD_TWICE'
  /** One cent short first. */
  | 'WRONG_AMOUNT'
  /** A card was declined first, and that is told last. */
  | 'DECLINED_FIRST'
  /** The provider tells it minutes later. */
  | 'TOLD_LATE'
  | 'NEVER';

/** What becomes of a paid appointment: kept, given back wholly or in part, or changed for another one. */
export type Afterwards =
  | { kind: 'KEEP' }
  | { kind: 'CANCEL' | 'CANCEL_PART'; after: number }
  | { kind: 'MOVE'; after: number; to: string };

/** Somebody who wants a slot: for themselves, or for their children. */
export interface Patient {
  userId: string;
  skuId: string;
  /** Who comes to the appointment; one unit each. */
  attendees: string[];
  arrivesAt: number;
  /** Presses the button again when the answer is there, and when all is over: it says the same, as it is by then. */
  pressesAgain: boolean;
  manner: Manner;
  /** From the hold to the payment. */
  paysAfter: number;
  /** Whether money is also sent when the hold has ended, as by a bank transfer. */
  insists: boolean;
  /** How long they wait before they give up; absent: until the slot begins. */
  waitsFor?: number;
  afterwards: Afterwards;
}

export interface Day {
  slots: Slot[];
  patients: Patient[];
}

/** One slot of ten is one that nobody waits for, one of four has three units. */
const QUIET_EVERY = 10;
const FAMILY_EVERY = 4;
/** When the crowd stands at the door, after those who came first, and who of a hundred stands there. */
const CROWD = { from: 2, to: 6, share: 30 };

/** Everything that people will do, drawn before it begins: for each hold time the same people, who do the same. */
export function dayOf(plan: DayPlan): Day {
  const random = seededRandom(plan.seed);
  const slots = slotsOf(plan);
  const first = slots.map((slot, index) => firstComer(slot, index, { slots, plan, random }));
  const late = Array.from({ length: plan.people - slots.length }, (_, index) =>
    lateComer(index, { slots, plan, random }),
  );
  return { slots, patients: [...first, ...late].sort((a, b) => a.arrivesAt - b.arrivesAt) };
}

export function isQuiet(index: number): boolean {
  return index % QUIET_EVERY === QUIET_EVERY - 1;
}

interface Drawing {
  slots: Slot[];
  plan: DayPlan;
  random: Random;
}

function slotsOf({ slots, firstSlot, lastSlot }: DayPlan): Slot[] {
  return Array.from({ length: slots }, (_, index) => ({
    skuId: `slot-${String(index + 1).padStart(2, '0')}`,
    capacity: isQuiet(index) || index % FAMILY_EVERY === 0 ? 3 : 1,
    startsAt: firstSlot + ((lastSlot - firstSlot) * index) / (slots - 1),
  }));
}

/** Takes everything that anybody will wait for, and of a quiet slot one unit. */
function firstComer(slot: Slot, index: number, drawing: Drawing): Patient {
  const seats = isQuiet(index) ? 1 : slot.capacity;
  return patient(index, slot, seats, { arrivesAt: drawing.random.next() / 2, drawing });
}

/** At first one for each slot that is not quiet, so that somebody waits before the first hold can end. */
function lateComer(index: number, drawing: Drawing): Patient {
  const { slots, plan, random } = drawing;
  const busy = slots.filter((_, at) => !isQuiet(at));
  const wanted = busy[index];
  const atTheDoor = wanted !== undefined || random.integer(0, 99) < CROWD.share;
  const [from, to] = atTheDoor ? [CROWD.from, CROWD.to] : [CROWD.to, plan.lastArrival];
  const arrivesAt = wanted ? CROWD.from : from + random.next() * (to - from);
  const open = busy.filter(({ startsAt }) => startsAt >= arrivesAt + plan.notice);
  // The earlier the slot, the more want it.
  const slot = wanted ?? open[Math.floor(random.next() ** 1.3 * open.length)] ?? (busy.at(-1) as Slot);
  const seats = slot.capacity > 1 && random.integer(0, 3) === 0 ? 2 : 1;
  return patient(slots.length + index, slot, seats, { arrivesAt, drawing });
}

function patient(
  index: number,
  slot: Slot,
  seats: number,
  { arrivesAt, drawing }: { arrivesAt: number; drawing: Drawing },
): Patient {
  const { plan, random } = drawing;
  const userId = `patient-${String(index + 1).padStart(3, '0')}`;
  return {
    ...{ userId, skuId: slot.skuId, arrivesAt },
    attendees: seats === 1 ? [userId] : Array.from({ length: seats }, (_, child) => `${userId}-child-${child + 1}`),
    pressesAgain: random.integer(0, 9) === 0,
    manner: mannerOf(random.integer(0, 99)),
    paysAfter: Math.exp(Math.log(4) + normal(random)),
    insists: random.integer(0, 1) === 0,
    ...(random.integer(0, 99) < 8 && { waitsFor: plan.lastSlot * (1 / 16 + random.next() * 0.4) }),
    afterwards: afterwardsOf(seats, drawing),
  };
}

function mannerOf(hundredth: number): Manner {
  const shares: [Manner, number][] = [
    ...([['NEVER', 18] as const, ['TWICE', 5], ['TOLD_TWICE', 5], ['WRONG_AMOUNT', 5]] as [Manner, number][]),
    ...([['DECLINED_FIRST', 5] as const, ['TOLD_LATE', 5]] as [Manner, number][]),
  ];
  let below = 0;
  for (const [manner, share] of shares) {
    below += share;
    if (hundredth < below) return manner;
  }
  return 'ONCE';
}

function afterwardsOf(seats: number, { slots, plan, random }: Drawing): Afterwards {
  const [hundredth, after] = [random.integer(0, 99), 5 + (random.next() * plan.lastSlot) / 4];
  const quiet = slots.filter((_, at) => isQuiet(at));
  const among = random.integer(0, 1) === 0 ? quiet : slots;
  const to = among[random.integer(0, among.length - 1)]?.skuId ?? '';
  if (seats > 1 && hundredth < 40) return { kind: 'CANCEL_PART', after };
  if (hundredth < 30) return { kind: 'CANCEL', after };
  return hundredth < 45 ? { kind: 'MOVE', after, to } : { kind: 'KEEP' };
}

/** Mean 0, deviation 1. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
