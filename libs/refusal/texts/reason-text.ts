/**
 * What people read of a reason. `detail` has the sentences for one occurrence, of which the first that fits is said: one whose condition
 * holds and whose facts are all known. The last needs none. Facts stand in braces: `{sku_id}`; `{limit:order|orders}` is the word for one
 * or for several; `{message}` is what the fault itself says, which is English.
 */
export interface ReasonText {
  /** The same for every occurrence. */
  readonly title: string;
  readonly detail: readonly [...Sentence[], string];
  /** What the caller should do next. */
  readonly next: string;
}

/** `if` names a fact that must be known, or `fact=VALUE`. */
export type Sentence = string | { readonly if: string; readonly say: string };
