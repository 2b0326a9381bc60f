import type { Command } from 'commander';

/** A command line as somebody would type it, from the pages of docs. */
export interface DocCommand {
  page: string;
  /** Words without quotes; the first is the program. */
  words: string[];
}

const starts = [['npx', '--no-install', 'holdfast'], ['holdfast']];

/** Every command in blocks of shell and between backticks: one for each part of a pipe or a list. */
export function commandsOf(page: string, text: string): DocCommand[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => (block ?? '').split('\n'));
  const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`((?:npx|npm run) [^`]+)`/g)].map(
    ([, line]) => line ?? '',
  );
  return [...blocks, ...inline]
    .flatMap((line) => partsOf(line))
    .map((words) => ({ page, words }))
    .filter(({ words }) => words.length > 0);
}

/** The operators' commands among them, without the way to start the program. */
export function holdfastCommands(commands: readonly DocCommand[]): DocCommand[] {
  return commands.flatMap(({ page, words }) => {
    const start = starts.find((one) => one.every((word, at) => words[at] === word));
    return start === undefined ? [] : [{ page, words: words.slice(start.length) }];
  });
}

/** What the program would find wrong with these words; undefined when nothing. Arguments of users are in capitals. */
export function wrongWith(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const rest = [...words];
  while (rest[0] !== undefined && command.commands.some((inner) => inner.name() === rest[0])) {
    command = command.commands.find((inner) => inner.name() === rest[0]) ?? command;
    rest.shift();
  }
  if (rest[0] === '--help') return undefined;
  // A group may be a command itself, and is then written alone or with options.
  const isGroup = command.commands.some((inner) => inner.name() !== 'help');
  if (isGroup && rest[0] !== undefined && !rest[0].startsWith('-'))
    return `${command.name()} has no command ${rest[0]}`;
  const { args, named, unknown } = sorted(command, program, rest);
  if (unknown !== undefined) return `${command.name()} has no option ${unknown}`;
  // What is needed is said in its description, so that a missing one is told with all that is wrong.
  const missing = command.options.find(
    (option) => option.description.endsWith('needed') && !named.includes(option.long ?? ''),
  );
  if (missing) return `${command.name()} wants ${missing.long}`;
  const wanted = command.registeredArguments.filter(({ required }) => required).length;
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length;
  if (args.length < wanted || args.length > most)
    return `${command.name()} wants other arguments than ${args.join(' ')}`;
  return undefined;
}

function sorted(
  command: Command,
  program: Command,
  words: string[],
): { args: string[]; named: string[]; unknown?: string } {
  const options = [...command.options, ...program.options];
  const [args, named]: [string[], string[]] = [[], []];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-')) {
      args.push(word);
      continue;
    }
    const option = options.find(({ long, short }) => word === long || word === short);
    if (!option) return { args, named, unknown: word };
    named.push(word);
    if (option?.required) words.shift();
  }
  return { args, named };
}

/** The commands of one line: split at pipes and semicolons outside of quotes, comments left out. */
function partsOf(line: string): string[][] {
  const parts: string[][] = [[]];
  for (const [word] of line.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*$|[|;]|[^\s|;]+/g)) {
    if (word.startsWith('#')) break;
    if (word === '|' || word === ';') parts.push([]);
    else parts.at(-1)?.push(word.replace(/^(["'])(.*)\1$/s, '$2'));
  }
  return parts;
}
