/**
 * Returns `arrive()`: it resolves for everybody at once when the `parties`-th has called it, and rejects for
 * any further one.
 */
export function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = withResolvers();
  let arrived = 0;
  return () => {
    arrived++;
    if (arrived > parties) return Promise.reject(new Error(`a barrier for ${parties} was reached by more`));
    if (arrived === parties) resolve();
    return promise;
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
