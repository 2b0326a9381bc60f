import { until } from '#libs/testing/until.js';
import type { Outcome } from '../../deploy/rush/outcome.js';
import { newPassage } from '../../deploy/rush/passage.js';
import type { Reply } from '../../deploy/rush/reply.js';
import { type Person, person, type Scenario, slot } from '../../deploy/rush/scenario.js';
import type { Door } from '../doors.js';

/** How long a person keeps pressing while nothing is decided. */
const persistenceMs = 30_000;

/**
 * 240 people in one store, who want more of each of its three skus than there is: some one unit, some two, every fourth
 * two skus at once, every third pressing twice.
 */
export function crowdOf(storeId: string): Scenario {
  const [hot, warm, cold] = ['hot', 'warm', 'cold'].map((name) => `${storeId}-${name}`) as [string, string, string];
  const terms = { storeId, perUserLimit: 3, maxPerOrder: 3 };
  const linesOf = (index: number) => {
    const quantity = 1 + (index % 2);
    if (index % 4 === 0) return [hot, warm].map((skuId) => ({ skuId, quantity: 1 }));
    return [{ skuId: index % 4 === 1 ? cold : hot, quantity }];
  };
  return {
    name: 'layers',
    about: '',
    skus: [
      slot({ ...terms, skuId: hot, capacity: 100 }),
      slot({ ...terms, skuId: warm, capacity: 35 }),
      slot({ ...terms, skuId: cold, capacity: 40 }),
    ],
    people: Array.from({ length: 240 }, (_, index) =>
      person({
        userId: `user-${index}`,
        storeId,
        arrivesAtMs: 0,
        lines: linesOf(index),
        repeats: index % 3 === 0 ? [0] : [],
      }),
    ),
  };
}

/** What happened to a crowd so far. */
export interface Crowd {
  readonly outcomes: Outcome[];
  /** Answers that stand. */
  answers: number;
}

/** Sends people in, a few in each turn of the loop, and resolves when all have an answer that stands. */
export async function sendIn(crowd: Crowd, people: readonly Person[], door: Door): Promise<void> {
  const presses: Promise<void>[] = [];
  for (const [index, one] of people.entries()) {
    if (index % 8 === 0) await new Promise(setImmediate);
    const outcome = outcomeOf(crowd, one);
    for (let times = 0; times <= one.repeats.length; times += 1) presses.push(press(crowd, one, outcome, door));
  }
  await Promise.all(presses);
}

/** The same key until something is decided. */
async function press(crowd: Crowd, one: Person, outcome: Outcome, door: Door): Promise<void> {
  const reply = await until(
    async () => {
      outcome.sends += 1;
      const answer = await door.place(one);
      if (answer.kind === 'QUEUED') return undefined;
      if (answer.kind !== 'AGAIN') return answer;
      outcome.setbacks.push(answer.why);
      return undefined;
    },
    { timeoutMs: persistenceMs, describe: () => `${one.userId} has an answer: ${outcome.setbacks.join(', ')}` },
  );
  record(outcome, reply);
  crowd.answers += 1;
}

function outcomeOf(crowd: Crowd, { userId, key, lines }: Person): Outcome {
  const known = crowd.outcomes.find((outcome) => outcome.userId === userId);
  if (known) return known;
  const outcome: Outcome = {
    ...{ userId, key, lines, answer: 'ERROR', heldIds: [], pendingIds: [] },
    ...{ latencyMs: 0, sends: 0, setbacks: [], passage: newPassage() },
  };
  crowd.outcomes.push(outcome);
  return outcome;
}

function record(outcome: Outcome, reply: Exclude<Reply, { kind: 'AGAIN' | 'QUEUED' }>): void {
  outcome.answer = reply.kind;
  if (reply.kind === 'HELD') outcome.heldIds.push(reply.orderId);
  if (reply.kind === 'PENDING') outcome.pendingIds.push(reply.orderId);
  if (reply.kind === 'ERROR') outcome.error = reply.why;
  if (reply.kind === 'REFUSED') {
    outcome.refusal ??= reply.refusal;
    outcome.refusedAt ??= new Date();
  }
}
