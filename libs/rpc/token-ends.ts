/** How late a stream may end after the token by which it was let in. */
const lookEveryMs = 1_000;

interface Open {
  readonly endsAtMs: number;
  readonly end: () => void;
}

const open = new Set<Open>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `end` within a second once that instant (milliseconds since 1970) has passed, unless the function returned was called before.
 * One timer looks at all of them; while there is none there is no timer.
 */
export function atTokenEnd(endsAtMs: number, end: () => void): () => void {
  const one = { endsAtMs, end };
  open.add(one);
  timer ??= setInterval(look, lookEveryMs).unref();
  return () => leave(one);
}

function look(): void {
  const now = Date.now();
  for (const one of open) {
    if (one.endsAtMs > now) continue;
    leave(one);
    one.end();
  }
}

function leave(one: Open): void {
  open.delete(one);
  if (open.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
