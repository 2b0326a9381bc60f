/** Somebody who waits for a sku. */
export interface Waiter {
  entryId: string;
  userId: string;
  quantity: number;
  peopleAhead: number;
  joinedAt?: Date | undefined;
  /** Why they are passed over; empty: they are not. */
  barredReason: string;
}

/** Those who wait for a sku, from the head on. */
export interface WaitersPage {
  items: Waiter[];
  nextPageToken: string;
  /** How many wait in all, and units that are kept for them. */
  waiting: number;
  reserved: number;
  paused: boolean;
}
