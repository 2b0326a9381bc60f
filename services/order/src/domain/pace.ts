/** A turn that came late, because a timer woke late, is made up for within so long. */
const slackMs = 20;

/**
 * How fast claims are taken: whoever takes n of them makes the next one wait n / perSecond. In any stretch of time no
 * more are taken than the rate allows, plus one message and what 20 ms of it are.
 */
export class Pace {
  #nextMs = Number.NEGATIVE_INFINITY;

  /** `perSecond` 0: nobody waits. */
  constructor(private readonly perSecond: number) {}

  /** Books the next turn for so many claims, first come, first served; returns how long after `nowMs` it is. */
  book(claims: number, nowMs: number): number {
    if (this.perSecond === 0) return 0;
    const turnMs = Math.max(this.#nextMs, nowMs - slackMs);
    this.#nextMs = turnMs + (claims * 1_000) / this.perSecond;
    return Math.max(0, turnMs - nowMs);
  }
}
