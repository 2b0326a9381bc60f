import type { Limited } from '../ports.js';
import { RecentMap } from './recent-map.js';

interface Denied {
  readonly limited: Limited;
  readonly until: number;
}

/**
 * Who was refused, until the time they were told. Asking again before it is answered here, so that those who do not wait
 * cost Redis nothing. Of too many the ones used least recently are forgotten, who then ask Redis.
 */
export class DenyCache {
  readonly #denied: RecentMap<string, Denied>;
  readonly #now: () => number;

  constructor({ now = () => performance.now(), keysMax = 10_000 }: { now?: () => number; keysMax?: number } = {}) {
    this.#denied = new RecentMap(keysMax);
    this.#now = now;
  }

  /** The refusal that still holds, with the time that is left of it. */
  of(key: string): Limited | undefined {
    const denied = this.#denied.get(key);
    if (denied === undefined) return undefined;
    const retryAfterMs = Math.ceil(denied.until - this.#now());
    if (retryAfterMs > 0) return { ...denied.limited, retryAfterMs };
    this.#denied.delete(key);
    return undefined;
  }

  note(key: string, limited: Limited): void {
    this.#denied.set(key, { limited, until: this.#now() + limited.retryAfterMs });
  }
}
