/** Environment variables as a process has them: absent and empty mean the same, not set. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Every problem of a configuration at once, one line each: the variable, what was given, what is allowed, an example. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** `default` stands in when the variable is not set; `optional` makes it undefined; with neither it is required. */
type Presence<Value> =
  | { readonly default: Value; readonly optional?: never }
  | { readonly optional: true; readonly default?: never }
  | { readonly default?: never; readonly optional?: never };

/** Without options the variable is required. */
type Required = Record<never, never>;

/** What reading gives: the value, and undefined only where `optional` was said. */
type Read<Value, Options> = Options extends { readonly optional: true } ? Value | undefined : Value;

export interface EnvReader {
  /** A whole number within `min`..`max` (both included). */
  integer<O extends Presence<number> & { min?: number; max?: number } = Required>(
    name: string,
    options?: O,
  ): Read<number, O>;
  /** A part of a whole, from 0 to 1. */
  share<O extends Presence<number> = Required>(name: string, options?: O): Read<number, O>;
  /** An absolute URL, as given; `protocols` like `['postgres:', 'postgresql:']` restrict it. */
  url<O extends Presence<string> & { protocols?: readonly string[] } = Required>(
    name: string,
    options?: O,
  ): Read<string, O>;
  /** `host:port`, to listen on; port 0 takes a free one. */
  address<O extends Presence<string> = Required>(name: string, options?: O): Read<string, O>;
  /** Peers to call: `host:port[,host:port…]`, or `dns:host:port` for all addresses of a name. */
  target<O extends Presence<string> = Required>(name: string, options?: O): Read<string, O>;
  /** One of the words, in the case given. */
  choice<const Word extends string, O extends Presence<NoInfer<Word>> = Required>(
    name: string,
    words: readonly Word[],
    options?: O,
  ): Read<Word, O>;
  /** `true` or `false`. */
  boolean<O extends Presence<boolean> = Required>(name: string, options?: O): Read<boolean, O>;
  /** Any text. */
  string<O extends Presence<string> = Required>(name: string, options?: O): Read<string, O>;
}

/**
 * Reads a whole configuration: `declare` names every variable once, and gets values or stand-ins for those that are
 * wrong, so that it always runs to its end. Then either all of it is right and returned frozen, or a ConfigError lists
 * every problem.
 */
export function readEnv<Config extends object>(env: Env, declare: (read: EnvReader) => Config): Readonly<Config> {
  const problems: string[] = [];
  const config = declare(readerOf((name, kind, presence) => valueIn(env, problems, { name, kind, presence })));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Whole numbers, both included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** A variable as a configuration declares it. */
export interface DeclaredSetting {
  readonly name: string;
  /** Of a whole number; absent for what is no amount of anything. */
  readonly range?: NumberRange;
  /** What may be given, in words. */
  readonly allowed: string;
  /** What holds when it is not set; absent when there is no such thing. */
  readonly default?: string | number | boolean;
  /** Whether the process starts without it although there is no default. */
  readonly optional: boolean;
}

/** What a configuration declares, in its order; nothing is read. */
export function declaredBy(declare: (read: EnvReader) => object): DeclaredSetting[] {
  const settings: DeclaredSetting[] = [];
  declare(
    readerOf((name, kind, presence) => {
      const { default: fallback, optional = false } = presence as Presence<string | number | boolean>;
      const { allowed, range } = kind;
      settings.push({
        ...{ name, allowed, optional },
        ...(range && { range }),
        ...(fallback !== undefined && { default: fallback }),
      });
      return presence.default;
    }),
  );
  return settings;
}

/** How one kind of variable is read: undefined means that the text is no such value. */
interface Kind<Value> {
  readonly range?: NumberRange;
  readonly allowed: string;
  readonly example: string;
  readonly parse: (text: string) => Value | undefined;
}

/** What is done with each variable that a configuration names. */
type Visit = <Value>(name: string, kind: Kind<Value>, presence: Presence<Value>) => Value | undefined;

function readerOf(visit: Visit): EnvReader {
  // The cast to Read is sound: what is missing without `optional` is a problem, and readEnv throws.
  const read = <Value, O>(name: string, kind: Kind<Value>, options: (O & Presence<Value>) | undefined) =>
    visit(name, kind, options ?? {}) as Read<Value, O>;

  return {
    integer: (name, options) => read(name, integerKind(options), options),
    share: (name, options) => read(name, shareKind, options),
    url: (name, options) => read(name, urlKind(options?.protocols), options),
    address: (name, options) => read(name, addressKind, options),
    target: (name, options) => read(name, targetKind, options),
    choice: (name, words, options) => read(name, choiceKind(words), options),
    boolean: (name, options) => read(name, booleanKind, options),
    string: (name, options) => read(name, stringKind, options),
  };
}

interface Variable<Value> {
  readonly name: string;
  readonly kind: Kind<Value>;
  readonly presence: Presence<Value>;
}

function valueIn<Value>(env: Env, problems: string[], { name, kind, presence }: Variable<Value>): Value | undefined {
  const text = env[name] ?? '';
  if (text === '') {
    if (presence.default === undefined && presence.optional !== true) {
      problems.push(`${name} is not set: give ${kind.allowed}, for example ${name}=${kind.example}`);
    }
    return presence.default;
  }
  const value = kind.parse(text);
  if (value === undefined) {
    problems.push(
      `${name} is ${JSON.stringify(withoutPassword(text))}: give ${kind.allowed}, for example ${name}=${kind.example}`,
    );
  }
  return value;
}

function integerKind({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
}: {
  min?: number;
  max?: number;
} = {}): Kind<number> {
  return {
    range: { min, max },
    allowed: `a whole number from ${min} to ${max}`,
    example: String(Math.max(min, Math.min(max, 10))),
    parse(text) {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

const shareKind: Kind<number> = {
  allowed: 'a number from 0 to 1',
  example: '0.01',
  parse(text) {
    const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    return value <= 1 ? value : undefined;
  },
};

function urlKind(protocols: readonly string[] | undefined): Kind<string> {
  return {
    allowed: protocols ? `a URL that begins with ${protocols.join(' or ')}` : 'a URL',
    example: `${protocols?.[0] ?? 'http:'}//localhost:1234`,
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      return url && (protocols?.includes(url.protocol) ?? true) ? text : undefined;
    },
  };
}

const addressKind: Kind<string> = {
  allowed: 'host:port',
  example: '127.0.0.1:8080',
  parse: (text) => (isAddress(text) ? text : undefined),
};

const targetKind: Kind<string> = {
  allowed: 'host:port, several of them with commas between, or dns:host:port',
  example: '10.0.0.1:9000,10.0.0.2:9000',
  parse(text) {
    const addresses = text.startsWith('dns:') ? [text.slice('dns:'.length)] : text.split(',');
    return addresses.every(isAddress) ? text : undefined;
  },
};

const booleanKind: Kind<boolean> = {
  allowed: 'true or false',
  example: 'true',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

const stringKind: Kind<string> = { allowed: 'a text', example: 'text', parse: (text) => text };

function choiceKind<Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    allowed: `one of ${words.join(', ')}`,
    example: words[0] ?? '',
    parse: (text) => words.find((word) => word === text),
  };
}

/** A name, an IPv4 address or a bracketed IPv6 address, and a port from 0 to 65535. */
function isAddress(text: string): boolean {
  const port = /^(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(text)?.[1];
  return port !== undefined && Number(port) <= 65_535;
}

/** A URL as it may be printed: the password between the user's colon and the @ is left out. */
function withoutPassword(text: string): string {
  return text.replace(/:[^:/@]*@/, ':***@');
}
