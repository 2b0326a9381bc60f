export type Close = () => Promise<unknown> | unknown;

/** Takes and calls each of them, the last one first, whatever becomes of the others. Rejects with the first error. */
export async function closeAll(closers: Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
