import { suite as uvuSuite } from 'uvu';
import { recorder } from './recorder.js';

export * as assert from 'uvu/assert';

type Body = () => void | Promise<void>;

/** A group of tests; nothing runs before `run()`. */
export interface Suite {
  (name: string, body: Body): void;
  /** Runs nothing else of the file. For the desk only: the runner refuses it. */
  only(name: string, body: Body): void;
  skip(name: string, body?: Body): void;
  before: Hook;
  after: Hook;
  run(): void;
}

interface Hook {
  (hook: Body): void;
  each(hook: Body): void;
}

/**
 * uvu's suite without its false greens. By itself uvu passes a file whose `before` or `after.each` throws,
 * whose test throws something that is no Error, that forgot `run()` or kept an `only`; here each of them
 * fails the tests it touches, and what ran is recorded for the runner.
 */
export function suite(name: string): Suite {
  const inner = uvuSuite(name);
  const beforeEach: Body[] = [];
  const afterEach: Body[] = [];
  let broken: Error | undefined;

  const recorded = (test: string, body: Body) => async (): Promise<void> => {
    recorder.started(test);
    const errors = broken === undefined ? await failuresOf([...beforeEach, body], afterEach) : [broken];
    recorder.ended(test, errors.length === 0);
    if (errors.length > 1) throw withCauses(errors);
    if (errors[0] !== undefined) throw errors[0];
  };
  const register = (test: string, body: Body): void => {
    recorder.registered(test);
    inner(test, recorded(test, body));
  };
  const only = (test: string, body: Body): void => {
    recorder.registered(test);
    recorder.restricted(test);
    inner.only(test, recorded(test, body));
  };
  const skip = (test: string): void => {
    recorder.skipped(test);
    inner.skip(test);
  };
  const before = (hook: Body): void =>
    inner.before(async () => {
      broken ??= await failureOf(hook, `before of ${name}`);
    });
  const after = (hook: Body): void =>
    inner.after(async () => {
      const error = await failureOf(hook, `after of ${name}`);
      if (error !== undefined) recorder.hookFailed(error);
    });
  return Object.assign(register, {
    only,
    skip,
    before: Object.assign(before, { each: (hook: Body) => void beforeEach.push(hook) }),
    after: Object.assign(after, { each: (hook: Body) => void afterEach.push(hook) }),
    run: () => inner.run(),
  });
}

// The last hooks run whatever came before them: they clean up.
async function failuresOf(steps: Body[], lastSteps: Body[]): Promise<Error[]> {
  const errors: Error[] = [];
  for (const step of steps) {
    const error = await failureOf(step);
    if (error === undefined) continue;
    errors.push(error);
    break;
  }
  for (const step of lastSteps) {
    const error = await failureOf(step, 'after each');
    if (error !== undefined) errors.push(error);
  }
  return errors;
}

async function failureOf(step: Body, where?: string): Promise<Error | undefined> {
  try {
    await step();
    return undefined;
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`, { cause: thrown });
    if (where !== undefined) error.message = `${where}: ${error.message}`;
    return error;
  }
}

function withCauses(errors: Error[]): Error {
  return new AggregateError(errors, errors.map((error) => error.stack).join('\nand then '));
}
