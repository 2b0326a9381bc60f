import { againTexts } from '#libs/refusal/again.js';
import { catalogue, type Reason } from '#libs/refusal/catalogue.js';
import { type Locale, localized } from '#libs/refusal/localize.js';
import { typeOfReason } from '#libs/refusal/type-of-reason.js';

/** A reason of the catalogue as programs read it, in one language. */
export interface ReasonJson {
  reason: string;
  type: string;
  status: number;
  /** OK: over gRPC it is an answer. Absent: gRPC never has it. */
  grpc_code: string | undefined;
  again: string;
  /** What `again` means. */
  repeat: string;
  title: string;
  /** The sentences it may say, with the names of facts in braces. */
  details: readonly string[];
  next: string;
}

export function reasonJson(reason: Reason, locale: Locale): ReasonJson {
  const { httpStatus, code, again } = catalogue[reason];
  const { title, templates, next } = localized(reason, locale);
  const repeat = againTexts[locale][again];
  const type = typeOfReason(reason);
  return { reason, type, status: httpStatus, grpc_code: code, again, repeat, title, details: templates, next };
}

const text = { type: 'string' } as const;

export const reasonAnswer = {
  title: 'Reason',
  type: 'object',
  required: ['reason', 'type', 'status', 'again', 'repeat', 'title', 'details', 'next'],
  properties: {
    reason: text,
    type: { ...text, description: 'The path of this' },
    status: { type: 'integer' },
    grpc_code: { ...text, description: 'OK: over gRPC it is an answer. Absent: gRPC never has it' },
    again: { ...text, description: 'Whether the same request may be sent again' },
    repeat: { ...text, description: 'The same in words' },
    title: text,
    details: { type: 'array', items: text, description: 'What it may say; facts are named in braces' },
    next: { ...text, description: 'What the caller should do next' },
  },
} as const;

export const reasonsAnswer = {
  title: 'Reasons',
  type: 'object',
  required: ['problems'],
  properties: { problems: { type: 'array', items: reasonAnswer } },
} as const;
