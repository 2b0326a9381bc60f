/** A crowd as data: what is on sale, who comes when, what each wants and how often each presses the button. */
export interface Scenario {
  name: string;
  /** One line for readers. */
  about: string;
  skus: ScenarioSku[];
  people: Person[];
}

export interface ScenarioSku {
  skuId: string;
  storeId: string;
  capacity: number;
  perUserLimit: number;
  maxPerOrder: number;
  holdTtlSeconds: number;
  /** False: an order is CONFIRMED at once. */
  paymentRequired: boolean;
  /** Milliseconds after the start of the run at which the sale opens. Absent: on sale before it. */
  opensAtMs?: number;
}

export interface ScenarioLine {
  skuId: string;
  quantity: number;
  /** Who uses the units. Absent: the person who orders. */
  attendeeId?: string;
}

export interface Person {
  userId: string;
  storeId: string;
  /** Milliseconds after the start of the run. */
  arrivesAtMs: number;
  lines: ScenarioLine[];
  /** The idempotency key of the order. */
  key: string;
  /** Further presses with the same key: so many milliseconds after the arrival, or once an answer is there. */
  repeats: (number | 'after')[];
  /** How long after the arrival a refused person still comes back when a hold is due to end. */
  patienceMs: number;
}

/** A sku with the terms that most scenarios share: one unit a person, a hold of fifteen minutes. */
export function slot(sku: Pick<ScenarioSku, 'skuId' | 'storeId' | 'capacity'> & Partial<ScenarioSku>): ScenarioSku {
  return { perUserLimit: 1, maxPerOrder: 10, holdTtlSeconds: 900, paymentRequired: true, ...sku };
}

/** A person who wants `lines`, presses once and takes a no for an answer. */
export function person(wish: Pick<Person, 'userId' | 'storeId' | 'arrivesAtMs' | 'lines'> & Partial<Person>): Person {
  return { key: `key-${wish.userId}`, repeats: [], patienceMs: 0, ...wish };
}

/**
 * The scenario with every id made this run's own. Ids of skus are never reused and an order id is computed from
 * store, user and key: a second run with the ids of the first would be answered with the first run's orders.
 */
export function prefixed(scenario: Scenario, prefix: string): Scenario {
  const own = (id: string): string => `${prefix}-${id}`;
  return {
    ...scenario,
    skus: scenario.skus.map((sku) => ({ ...sku, skuId: own(sku.skuId), storeId: own(sku.storeId) })),
    people: scenario.people.map((one) => ({
      ...one,
      userId: own(one.userId),
      storeId: own(one.storeId),
      key: own(one.key),
      lines: one.lines.map((line) => ({
        ...line,
        skuId: own(line.skuId),
        ...(line.attendeeId === undefined ? {} : { attendeeId: own(line.attendeeId) }),
      })),
    })),
  };
}

/** The scenario with its arrivals spread evenly over `seconds`, in the order they had. */
export function spread(scenario: Scenario, seconds: number): Scenario {
  const order = scenario.people.map((one, index) => ({ index, at: one.arrivesAtMs })).sort((a, b) => a.at - b.at);
  const arrivals = new Map(order.map(({ index }, rank) => [index, (rank * seconds * 1000) / order.length]));
  return {
    ...scenario,
    people: scenario.people.map((one, index) => ({ ...one, arrivesAtMs: arrivals.get(index) ?? one.arrivesAtMs })),
  };
}
