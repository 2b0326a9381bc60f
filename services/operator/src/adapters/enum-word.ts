/**
 * `HELD` of `ORDER_STATE_HELD`. Empty when it is unspecified, or when only a newer gateway knows it. `name`: as the
 * generated enum has it, found by the value.
 */
export function enumWord(name: string | undefined, prefix: string): string {
  const word = name?.startsWith(prefix) ? name.slice(prefix.length) : '';
  return word === 'UNSPECIFIED' ? '' : word;
}
