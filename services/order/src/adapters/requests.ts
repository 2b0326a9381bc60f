import { Fault, type Violation } from '#libs/refusal/fault.js';

const id = /^[\x21-\x7e]{1,128}$/;
const longId = /^[\x21-\x7e]{1,255}$/;
const currency = /^[A-Z]{3}$/;
/** No control character: a text column takes no NUL, and a log line no line break. */
const freeText = /^[^\p{Cc}]{0,500}$/u;

/** What a field must look like, and how that is said. */
const rules = {
  id: [id, 'must be 1 to 128 printable ASCII characters without spaces'],
  longId: [longId, 'must be 1 to 255 printable ASCII characters without spaces'],
  currency: [currency, 'must be three capital letters (ISO 4217)'],
  freeText: [freeText, 'must be at most 500 characters, none of them a control character'],
} as const;

/** Gathers everything that is wrong with a request, so that its caller learns all of it at once. */
export class RequestCheck {
  readonly #violations: Violation[] = [];

  field(name: string, value: string, rule: keyof typeof rules): this {
    const [pattern, description] = rules[rule];
    return this.that(pattern.test(value), name, description);
  }

  /** A field that may be left empty. */
  optional(name: string, value: string, rule: keyof typeof rules): this {
    return value === '' ? this : this.field(name, value, rule);
  }

  /** `holds`, or the field is described as what it must be. */
  that(holds: boolean, field: string, description: string): this {
    if (!holds) this.#violations.push({ field, description });
    return this;
  }

  /** What somebody else has found. */
  also(violations: readonly Violation[]): this {
    this.#violations.push(...violations);
    return this;
  }

  /** Throws INVALID_REQUEST with all that was found. */
  done(): void {
    const [first] = this.#violations;
    if (!first) return;
    const more = this.#violations.length - 1;
    const message = `${first.field} ${first.description}${more > 0 ? `, and ${more} more` : ''}`;
    throw new Fault('INVALID_REQUEST', message, { violations: this.#violations });
  }
}
