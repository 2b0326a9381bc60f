/** `LATE_CANCEL_REFUSE` as `REFUSE`. A number that nobody knows stays one, for the ledger to refuse. */
export function enumWord(names: Readonly<Record<number, string>>, value: number, prefix: string): string {
  return (names[value] ?? String(value)).replace(prefix, '');
}
