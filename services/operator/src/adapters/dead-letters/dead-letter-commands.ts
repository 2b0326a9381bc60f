import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import { readDeed, readNumberOf } from '../../domain/deed.js';
import { readNumber } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { orderJson } from '../stories/story-json.js';
import { ordersTable } from '../stories/story-table.js';
import { UsageError } from '../usage-error.js';
import { letterJson, wholeLetterJson } from './dead-letter-json.js';
import { lettersTable, letterText } from './dead-letter-table.js';

interface ListTyped {
  all?: boolean;
  limit: string;
}

const listExamples = `
Examples:
  holdfast dead-letters list
  holdfast dead-letters list --all --limit 200 --json | jq -r '.dead_letters[].error'`;

const showExamples = `
Examples:
  holdfast dead-letters show 3
  holdfast dead-letters show 3 --json | jq -r .dead_letter.payload_base64 | base64 -d > message.bin`;

const replayExamples = `
Example:
  holdfast dead-letters replay 3 --reason "the sku was missing, it is there now"

Admits the claim once more by your hand: its order, which was refused, may become HELD, and its buyer is told by an
event. When there are no units left, it stays refused.`;

const discardExamples = `
Example:
  holdfast dead-letters discard 3 --reason "a test message"

Lays it aside; what it asked for stays refused.`;

/** `holdfast dead-letters …`: messages that nobody could process. */
export function addDeadLetterCommands(program: Command, session: Session): void {
  const group = program.command('dead-letters').description('messages that nobody could process');
  group
    .command('list')
    .description('letters, the newest first')
    .option('--all', 'also those that were seen to')
    .option('--limit <n>', 'so many, 1 to 10000', '50')
    .addHelpText('after', listExamples)
    .action((typed: ListTyped) => list(session, typed));
  group
    .command('show')
    .description('one letter with its message')
    .argument('<letter>', 'its number')
    .addHelpText('after', showExamples)
    .action((number: string) => show(session, number));
  group
    .command('replay')
    .description('admits the claim once more')
    .argument('<letter>', 'its number')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', replayExamples)
    .action((number: string, { reason }: { reason?: string }) => replay(session, number, reason));
  group
    .command('discard')
    .description('lays it aside')
    .argument('<letter>', 'its number')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', discardExamples)
    .action((number: string, { reason }: { reason?: string }) => discard(session, number, reason));
}

async function list(session: Session, { all = false, limit: typed }: ListTyped): Promise<void> {
  const problems: string[] = [];
  const limit = readNumber({ name: '--limit', text: typed, low: 1, high: 10_000 }, problems);
  if (limit === undefined) throw new UsageError(problems);
  const { deadLetters } = session.gateway();
  const { items, isMore } = await collectPages((size, token) => deadLetters.listDeadLetters(all, size, token), limit);
  session.show({ dead_letters: items.map(letterJson), is_more: isMore }, () => lettersTable(items));
}

async function show(session: Session, number: string): Promise<void> {
  const read = readNumberOf('LETTER', number);
  if ('problems' in read) throw new UsageError(read.problems);
  const letter = await session.gateway().deadLetters.getDeadLetter(read.number);
  session.show({ dead_letter: wholeLetterJson(letter) }, () => letterText(letter));
}

async function replay(session: Session, number: string, reason: string | undefined): Promise<void> {
  const read = readDeed({ name: 'LETTER', number, reason });
  if ('problems' in read) throw new UsageError(read.problems);
  const { letter, order } = await session.gateway().deadLetters.replayDeadLetter(read.number, read.reason);
  const json = { dead_letter: letterJson(letter), order: order === undefined ? null : orderJson(order) };
  session.show(json, (paint) => [lettersTable([letter]), ...(order ? [ordersTable([order], paint)] : [])].join('\n\n'));
}

async function discard(session: Session, number: string, reason: string | undefined): Promise<void> {
  const read = readDeed({ name: 'LETTER', number, reason });
  if ('problems' in read) throw new UsageError(read.problems);
  const letter = await session.gateway().deadLetters.discardDeadLetter(read.number, read.reason);
  session.show({ dead_letter: letterJson(letter) }, () => lettersTable([letter]));
}
