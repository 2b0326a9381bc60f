import type { Command } from 'commander';
import { readOrderId, readPerson } from '../../domain/story.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { orderStoryJson, userStoryJson } from './story-json.js';
import { orderStoryText, userStoryText } from './story-table.js';

const orderExamples = `
Examples:
  holdfast explain order 0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f
  holdfast explain order 0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f --json | jq -r '.events[] | [.at, .what, .text] | @tsv'`;

const userExamples = `
Example:
  holdfast explain user u-4711 --sku kiln-mug

Every order of that person for the sku, as the one who ordered or as an attendee, and one story of all of them: why they
were told no, what became of their hold, where their money is.`;

/** `holdfast explain …`: what happened, in the order of time. */
export function addExplainCommands(program: Command, session: Session): void {
  const group = program.command('explain').description('what happened to an order or a person, in the order of time');
  group
    .command('order')
    .description('the story of one order')
    .argument('<order>', 'its id')
    .addHelpText('after', orderExamples)
    .action((orderId: string) => explainOrder(session, orderId));
  group
    .command('user')
    .description('the story of everything that a person did about a sku')
    .argument('<user>', 'the user, or the attendee')
    .option('--sku <id>', 'the sku; needed')
    .addHelpText('after', userExamples)
    .action((userId: string, { sku }: { sku?: string }) => explainUser(session, userId, sku));
}

async function explainOrder(session: Session, typed: string): Promise<void> {
  const read = readOrderId(typed);
  if ('problems' in read) throw new UsageError(read.problems);
  const story = await session.gateway().stories.ofOrder(read.orderId);
  session.show(orderStoryJson(story), (paint) => orderStoryText(story, paint));
}

async function explainUser(session: Session, user: string, sku: string | undefined): Promise<void> {
  const read = readPerson(user, sku);
  if ('problems' in read) throw new UsageError(read.problems);
  const story = await session.gateway().stories.ofUser(read.userId, read.skuId);
  session.show(userStoryJson(story), (paint) => userStoryText(story, paint));
}
