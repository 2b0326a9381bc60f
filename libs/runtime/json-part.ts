/**
 * One value of a JSON document that somebody wrote: hands out its fields and notes what is wrong with them, so that all
 * is said at once. What is wrong has a stand-in, so that reading always runs to its end.
 */
export class JsonPart {
  readonly #fields: Record<string, unknown>;
  readonly #isObject: boolean;

  /** `path` names the value in problems. */
  constructor(
    value: unknown,
    readonly path: string,
    readonly problems: string[],
  ) {
    this.#isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.demand(this.#isObject, 'is no object');
    this.#fields = this.#isObject ? (value as Record<string, unknown>) : {};
  }

  /** Notes a problem unless it holds. */
  demand(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(`${this.path}: ${problem}`);
  }

  /** Notes every field that is none of these. */
  demandOnly(...names: string[]): void {
    const unknown = Object.keys(this.#fields).filter((name) => !names.includes(name));
    for (const name of unknown) this.demand(false, `${name} is not known here; known are ${names.join(', ')}`);
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** As it stands. */
  value(name: string): unknown {
    return this.#fields[name];
  }

  text(name: string, absent?: string): string {
    const value = this.#read(name, absent);
    this.#demandField(typeof value === 'string', `${name} is no text`);
    return String(value);
  }

  /** From 0. */
  number(name: string, absent?: number): number {
    const value = this.#read(name, absent);
    this.#demandField(typeof value === 'number' && value >= 0, `${name} is no number from 0`);
    return Number(value);
  }

  /** A whole number, both bounds included. */
  integer(name: string, min: number, max: number): number {
    const value = Number(this.#read(name, undefined));
    const right = typeof this.#fields[name] === 'number' && Number.isInteger(value) && value >= min && value <= max;
    this.#demandField(right, `${name} is no whole number from ${min} to ${max}`);
    return right ? value : min;
  }

  boolean(name: string, absent: boolean): boolean {
    const value = this.#read(name, absent);
    this.#demandField(typeof value === 'boolean', `${name} is not true or false`);
    return value === true;
  }

  part(name: string): JsonPart {
    return new JsonPart(this.#fields[name], `${this.path} ${name}`, this.problems);
  }

  list(name: string): JsonPart[] {
    const value = this.#read(name, undefined);
    this.#demandField(Array.isArray(value), `${name} is no list`);
    const items: unknown[] = Array.isArray(value) ? value : [];
    return items.map((item, index) => new JsonPart(item, `${this.path} ${name}[${index}]`, this.problems));
  }

  #read(name: string, absent: unknown): unknown {
    return this.#fields[name] ?? absent;
  }

  // Of what is no object, nothing else needs to be said.
  #demandField(holds: boolean, problem: string): void {
    if (this.#isObject) this.demand(holds, problem);
  }
}
