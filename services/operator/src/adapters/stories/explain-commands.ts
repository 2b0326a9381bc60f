import type { Command } from 'commander';
import { readOrderId, readPerson, readRequest } from '../../domain/story.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { orderStoryJson, requestStoryJson, userStoryJson } from './story-json.js';
import { orderStoryText, requestStoryText, userStoryText } from './story-table.js';

const orderExamples = `
Examples:
  holdfast explain order 0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f
  holdfast explain order 0197b2c4-1f5e-8a3c-9d21-6b1f0c2d3e4f --json | jq -r '.events[] | [.at, .what, .text] | @tsv'`;

const userExamples = `
Example:
  holdfast explain user u-4711 --sku kiln-mug

Every order of that person for the sku, as the one who ordered or as an attendee, and one story of all of them: when they
pressed and what they were told, why it was no, where they waited, what became of their hold, where their money is.`;

const requestExamples = `
Examples:
  holdfast explain request 5f0c…                     everybody who used that key
  holdfast explain request my-key --user u-4711 --store kiln    also when no answer to it was recorded

What was asked under a request id (the Idempotency-Key of an app, the request_id of a problem), and what came of it.`;

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
  group
    .command('request')
    .description('the story of what was asked under a request id')
    .argument('<request>', 'the request id')
    .option('--user <id>', 'whose it is')
    .option('--store <id>', 'with --user: the store that was asked')
    .addHelpText('after', requestExamples)
    .action((requestId: string, whose: { user?: string; store?: string }) => explainRequest(session, requestId, whose));
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

async function explainRequest(
  session: Session,
  typed: string,
  whose: { user?: string; store?: string },
): Promise<void> {
  const read = readRequest(typed, whose);
  if ('problems' in read) throw new UsageError(read.problems);
  const story = await session.gateway().stories.ofRequest(read);
  session.show(requestStoryJson(story), (paint) => requestStoryText(story, paint));
}
