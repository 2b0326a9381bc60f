import { type Column, renderFacts, renderTable } from '#libs/terminal/table.js';
import type { DeadLetter } from '../../domain/dead-letter.js';
import { factsJson } from '../facts.js';
import { instantText } from '../time-text.js';

const columns: Column[] = [
  { title: 'letter', side: 'right' },
  { title: 'when' },
  { title: 'order' },
  { title: 'subject' },
  { title: 'what went wrong' },
  { title: 'seen to' },
];

/** Letters, a line each. */
export function lettersTable(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'no letter waits for somebody';
  return renderTable(
    columns,
    letters.map((letter) => [
      String(letter.deadLetterId),
      instantText(letter.at),
      letter.orderId || '-',
      letter.subject,
      letter.error,
      resolvedText(letter),
    ]),
  );
}

/** One letter with its message. */
export function letterText(letter: DeadLetter): string {
  const { deadLetterId, orderId, subject, error, at, payload, payloadJson } = letter;
  const facts = renderFacts([
    ['letter', String(deadLetterId)],
    ['when', instantText(at)],
    ['order', orderId || 'it does not say'],
    ['subject', subject],
    ['error', error],
    ['seen to', resolvedText(letter)],
    ['bytes', String(payload.length)],
  ]);
  const message = payloadJson === '' ? 'its message cannot be read' : JSON.stringify(factsJson(payloadJson), null, 2);
  return `${facts}\n\n${message}\n\n${nextText(letter)}`;
}

function resolvedText({ resolvedAt, resolvedBy, resolution }: DeadLetter): string {
  if (resolvedAt === undefined) return 'no';
  return `${resolution || 'yes'}, by ${resolvedBy} at ${instantText(resolvedAt)}`;
}

function nextText({ deadLetterId, orderId, resolvedAt }: DeadLetter): string {
  const explain = orderId === '' ? '' : `holdfast explain order ${orderId}`;
  if (resolvedAt !== undefined)
    return explain === '' ? 'somebody has seen to it' : `somebody has seen to it: ${explain}`;
  return `next: holdfast dead-letters replay ${deadLetterId} --reason "…", or discard${explain && `; ${explain} tells its story`}`;
}
