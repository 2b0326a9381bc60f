import { basename, extname } from 'node:path';
import { enclosed, functionsOf, importsOf, type SourceFile } from './source-tree.js';

/** A law of the tree that no linter knows. */
export interface Rule {
  /** The law, as a fact. */
  name: string;
  /** What breaks it, one line each. */
  check(files: SourceFile[]): string[];
}

const longestFile = 320;
const longestFunction = 60;
const laws = 'noExplicitAny|noNonNullAssertion|noDefaultExport|noFloatingPromises|noImportCycles';
const generated = /^libs\/contracts\/gen\//;
const environmentReaders =
  /^services\/[^/]+\/src\/main\.ts$|^libs\/runtime\/run-service\.ts$|^(deploy|bench|test|libs\/(testing|servers))\/|\.test\.ts$/;
// Written so that the rules do not find themselves.
const unfinished = new RegExp(
  `\\b(${['TO', 'FIX'].map((word) => `${word}${word === 'TO' ? 'DO' : 'ME'}`).join('|')})\\b`,
);

const isTest = (file: SourceFile): boolean => file.path.endsWith('.test.ts');
const isOnlyForTests = (file: SourceFile): boolean => isTest(file) || basename(file.path).startsWith('test-');
const isCode = (file: SourceFile): boolean => /\.(ts|mjs)$/.test(file.path) && !generated.test(file.path);
const isScript = (file: SourceFile): boolean => /\.(sql|lua)$/.test(file.path);
const stemOf = (file: SourceFile): string => basename(file.path, extname(file.path));

/** One complaint for each file that `judge` has something to say about. */
function each(chosen: (file: SourceFile) => boolean, judge: (file: SourceFile) => string | undefined): Rule['check'] {
  return (files) =>
    files.filter(chosen).flatMap((file) => {
      const complaint = judge(file);
      return complaint === undefined ? [] : [`${file.path}: ${complaint}`];
    });
}

/** One complaint for each line that matches. */
function noLine(chosen: (file: SourceFile) => boolean, pattern: RegExp): Rule['check'] {
  return (files) =>
    files
      .filter(chosen)
      .flatMap((file) =>
        file.text
          .split('\n')
          .flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}: ${line.trim()}`] : [])),
      );
}

/** One complaint for each import that is not allowed. */
function noImport(
  chosen: (file: SourceFile) => boolean,
  allowed: (module: string, file: SourceFile) => boolean,
): Rule['check'] {
  return (files) =>
    files.filter(chosen).flatMap((file) =>
      importsOf(file)
        .filter((module) => !allowed(module, file))
        .map((module) => `${file.path}: imports ${module}`),
    );
}

const testRules: Rule[] = [
  {
    name: 'every suite of a test file is run',
    check: each(isTest, ({ text }) => {
      const suites = [...text.matchAll(/^const (\w+) = suite\(/gm)].map(([, name]) => name);
      const forgotten = suites.filter((name) => !new RegExp(`^${name}\\.run\\(\\);$`, 'm').test(text));
      if (suites.length === 0) return 'has no suite';
      return forgotten.length === 0 ? undefined : `never runs ${forgotten.join(', ')}`;
    }),
  },
  { name: 'no test is run alone', check: noLine(isTest, /^\s*\w+\.only\(/) },
  {
    name: 'tests use uvu through its guard',
    check: noImport(isCode, (module, file) => !/^uvu\b/.test(module) || file.path === 'libs/testing/suite.ts'),
  },
  {
    name: 'tests wait for facts, not for time',
    check: noLine(isTest, /^(?!.*['"`].*setTimeout).*\bsetTimeout\((resolve|done)\b|^import .*timers\/promises/),
  },
];

const shapeRules: Rule[] = [
  {
    name: `files are at most ${longestFile} lines long`,
    check: each(
      (file) => isCode(file) || isScript(file),
      ({ text }) => {
        const lines = text.trimEnd().split('\n').length;
        return lines > longestFile ? `${lines} lines` : undefined;
      },
    ),
  },
  {
    name: `functions are at most ${longestFunction} lines long`,
    check: (files) =>
      files.filter(isCode).flatMap((file) =>
        functionsOf(file.text)
          .filter(({ length }) => length > longestFunction)
          .map(({ line, length }) => `${file.path}:${line}: ${length} lines`),
      ),
  },
  {
    name: 'nothing is named for being left over',
    check: each(
      (file) => !generated.test(file.path),
      ({ path }) => /(^|\/)(utils?|common|shared|helpers?|misc)(\/|\.|$)/.exec(path)?.[0],
    ),
  },
  {
    name: 'code is in kebab-case files, SQL and Lua in snake_case ones',
    check: each(
      (file) => isCode(file) || isScript(file),
      (file) => {
        const pattern = isScript(file) ? /^[a-z0-9]+(_[a-z0-9]+)*$/ : /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?$/;
        return pattern.test(stemOf(file)) ? undefined : 'is named otherwise';
      },
    ),
  },
  { name: 'nothing waits to be finished', check: noLine((file) => file.path !== 'package-lock.json', unfinished) },
  {
    name: 'no law of the compiler or the linter is switched off in the code',
    check: noLine(isCode, new RegExp(`^\\s*(//|/\\*) *(@ts-(ignore|nocheck|expect-error)|biome-ignore.*(${laws}))`)),
  },
];

const layerRules: Rule[] = [
  {
    name: 'the environment is read where a process starts and nowhere else',
    check: noLine((file) => isCode(file) && !environmentReaders.test(file.path), /^(?!\s*(\/\/|\*)).*\bprocess\.env\b/),
  },
  {
    name: 'a service imports itself, libs and packages, never another service',
    check: noImport(
      (file) => file.path.startsWith('services/') && isCode(file),
      (module, file) => !module.startsWith('services/') || module.startsWith(`${serviceOf(file)}/`),
    ),
  },
  {
    name: 'libs import libs, never services, tests or tools',
    check: noImport(
      (file) => file.path.startsWith('libs/') && isCode(file),
      (module) => !/^(services|deploy|test|bench)\//.test(module),
    ),
  },
  {
    name: 'a domain imports nothing but itself and the words of refusal',
    check: noImport(
      (file) => /^services\/[^/]+\/src\/domain\//.test(file.path) && isCode(file) && !isTest(file),
      (module, file) => module.startsWith(`${serviceOf(file)}/src/domain/`) || module.startsWith('#libs/refusal/'),
    ),
  },
  {
    name: 'an app knows no adapters',
    check: noImport(
      (file) => /^services\/[^/]+\/src\/app\//.test(file.path) && isCode(file) && !isTest(file),
      (module) => !/^services\/[^/]+\/src\/(adapters\/|service\.|main\.)/.test(module),
    ),
  },
];

const scriptRules: Rule[] = [
  {
    name: 'SQL and Lua files open with what they are for',
    check: each(isScript, ({ text }) => (/^--+ *\S/.test(text) ? undefined : 'has no header comment')),
  },
  {
    name: 'every SQL and Lua file is used by the code that bears its name',
    check: (files) =>
      files
        .filter((file) => /\/(sql|functions|lua)\/[^/]+$/.test(file.path) && isScript(file))
        .filter((file) => !files.some((other) => other !== file && uses(other, file)))
        .map((file) => `${file.path}: nothing mentions ${stemOf(file)}`),
  },
  {
    name: 'SQL is in files, not in strings',
    check: noLine(
      (file) => /^(services|libs\/ledger)\//.test(file.path) && isCode(file) && !isOnlyForTests(file),
      // The call of a function by its name is no statement worth a file.
      /['"`]\s*(SELECT(?! \* FROM ledger\.\$\{name\}\()|INSERT INTO|UPDATE|DELETE FROM|WITH) /,
    ),
  },
  {
    name: 'inside a transaction nothing is awaited but the transaction and the ledger',
    check: each(
      (file) => isCode(file) && !isTest(file),
      ({ text }) => {
        const foreign = [...text.matchAll(/\btransaction\((?=async \((\w+)\)|async (\w+) =>)/g)].flatMap((match) =>
          foreignAwaits(enclosed(text, match.index + 'transaction'.length), match[1] ?? match[2] ?? 'tx'),
        );
        return foreign.length === 0 ? undefined : `awaits ${foreign.join(', ')}`;
      },
    ),
  },
];

const machineRules: Rule[] = [
  {
    name: 'the lock file names no registry',
    check: noLine((file) => file.path === 'package-lock.json', /"resolved"|https?:\/\/(registry|npm)[.-]/),
  },
  {
    name: 'nobody is believed for naming themselves in a header',
    check: noLine((file) => !isTest(file) && !file.path.startsWith('test/tidy'), /x-holdfast-(user|role)/i),
  },
  {
    name: 'no path of one machine is in the tree',
    check: noLine(
      (file) => file.path !== 'package-lock.json',
      /(?<![\w.:)~-])\/(home\/(?!node\b)|Users\/|root\/|work\/)\w/,
    ),
  },
];

/** All of them. */
export const tidyRules: Rule[] = [...testRules, ...shapeRules, ...layerRules, ...scriptRules, ...machineRules];

function serviceOf(file: SourceFile): string {
  return file.path.split('/').slice(0, 2).join('/');
}

// A function of the database may serve another one; a statement and a script need a caller in TypeScript.
function uses(user: SourceFile, script: SourceFile): boolean {
  const mayUse = isCode(user) || (script.path.includes('/functions/') && isScript(user));
  return mayUse && !isTest(user) && new RegExp(`\\b${stemOf(script)}\\b`).test(user.text);
}

// `await tx.query(…)`, `await ledger.orderGet(…)`, and `await step(tx, …)`, which can only do the same.
function foreignAwaits(body: string, tx: string): string[] {
  const allowed = new RegExp(`^(?:${tx}|ledger)\\b|^[\\w.]+\\(${tx}\\b`);
  return [...body.matchAll(/\bawait\s+([^\n]*)/g)]
    .map(([, expression]) => expression ?? '')
    .filter((expression) => !allowed.test(expression));
}
