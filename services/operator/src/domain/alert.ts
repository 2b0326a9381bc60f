/** One thing that is not as it should be. */
export interface Alert {
  alertId: number;
  /** In capitals, such as OVERSOLD. */
  kind: string;
  subject: string;
  skuId: string;
  /** The figures, as JSON. */
  facts: string;
  /** What looks closer or mends it. */
  command: string;
  firstSeenAt?: Date | undefined;
  lastSeenAt?: Date | undefined;
  timesSeen: number;
  /** Absent: it is open. */
  clearedAt?: Date | undefined;
  clearedBy: string;
  clearedReason: string;
}
