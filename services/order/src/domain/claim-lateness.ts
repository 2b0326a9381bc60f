/** How far the stream's clock may run behind the ledger's before a message counts as late. */
const streamClockToleranceMs = 1_000;

/** Whether the stream stored a claim so long after its not-after that nobody waits for its effect any more. */
export function storedTooLate(storedAt: Date, notAfter: Date): boolean {
  return storedAt.getTime() > notAfter.getTime() + streamClockToleranceMs;
}
