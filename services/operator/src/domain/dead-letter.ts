/** A message that nobody could process. */
export interface DeadLetter {
  deadLetterId: number;
  /** Empty when it does not say whose it is. */
  orderId: string;
  subject: string;
  error: string;
  at?: Date | undefined;
  /** Its bytes, and as JSON as far as they can be read; empty in lists. */
  payload: Uint8Array;
  payloadJson: string;
  /** Absent: nobody has seen to it. */
  resolvedAt?: Date | undefined;
  resolvedBy: string;
  resolution: string;
}
