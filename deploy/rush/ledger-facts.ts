/** What the ledger says after a run, read by the rush itself and not through any service. */
export interface LedgerFacts {
  skus: SkuFacts[];
  orders: OrderFacts[];
  attendees: AttendeeFacts[];
}

/** The counters of one sku beside the same figures recomputed from order lines and from movements. */
export interface SkuFacts {
  skuId: string;
  /** With overbooked units. */
  capacity: number;
  free: number;
  reserved: number;
  held: number;
  sold: number;
  heldByLines: number;
  soldByLines: number;
  heldByMovements: number;
  soldByMovements: number;
  /** When units last came back from an order, by the rush's clock. */
  returnedAt?: Date;
}

/** One order row of the run. */
export interface OrderFacts {
  orderId: string;
  userId: string;
  requestId: string;
  state: string;
}

/** Units of one sku that live orders keep for one attendee, summed over order lines. */
export interface AttendeeFacts {
  skuId: string;
  attendeeId: string;
  units: number;
}
