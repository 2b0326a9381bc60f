import type { Finding } from '#libs/ledger/reconcile-plans.js';
import { identityOf } from '../../domain/findings.js';

/** So many findings a plan keeps. */
export const MOST_KEPT = 1_000;

/** What a look has found: each thing once, at most 1000 of them, and of the others how many. */
export class Found {
  readonly #kept = new Map<string, Finding>();
  #others = 0;

  /** Adds findings, of which there may be more than are named. */
  add(findings: readonly Finding[], count = findings.length): void {
    this.#others += count - findings.length;
    for (const finding of findings) {
      const identity = identityOf(finding);
      if (this.#kept.has(identity)) continue;
      if (this.#kept.size < MOST_KEPT) this.#kept.set(identity, finding);
      else this.#others += 1;
    }
  }

  /** Keeps only what was found again. What is only counted stays. */
  confirm(again: Iterable<Finding>): void {
    const seen = new Set([...again].map(identityOf));
    for (const identity of this.#kept.keys()) if (!seen.has(identity)) this.#kept.delete(identity);
  }

  get kept(): Finding[] {
    return [...this.#kept.values()];
  }

  /** All, also those that are not kept. */
  get count(): number {
    return this.#kept.size + this.#others;
  }
}
