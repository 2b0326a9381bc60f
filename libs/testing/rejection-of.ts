/**
 * The error that `work` rejects with, when it is of the `kind` expected (any Error by default). Rejects itself when
 * `work` resolves, and with what was thrown when that is of another kind.
 */
export async function rejectionOf<Kind extends Error = Error>(
  work: Promise<unknown>,
  kind?: new (...args: never[]) => Kind,
): Promise<Kind> {
  const expected = kind ?? Error;
  let value: unknown;
  try {
    value = await work;
  } catch (thrown) {
    if (thrown instanceof expected) return thrown as Kind;
    throw thrown;
  }
  throw new Error(`resolved with ${JSON.stringify(value)} where ${expected.name} was expected`);
}
