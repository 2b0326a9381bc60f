import type { FastifySchemaValidationError } from 'fastify';
import type { Violation } from '#libs/refusal/fault.js';
import { keyHeader } from './idempotency-key.js';
import { forUserHeader } from './identity.js';

/** One thing that is wrong, and where: in the body (a JSON pointer), in a header, or in the path or the query. */
export interface ProblemError {
  readonly detail: string;
  readonly pointer?: string;
  readonly header?: string;
  readonly parameter?: string;
}

/** Everything that is wrong with a request, found before the gateway was asked. */
export class InvalidRequest extends Error {
  constructor(readonly errors: readonly ProblemError[]) {
    super('The request is not valid');
  }
}

/** As many as one answer names. */
const errorsMax = 100;
const stepMaxLength = 128;

/** What the schema of one part (`body`, `params`, `querystring`) found. The schemas ask Ajv for all of it, with the schema that was broken. */
export function errorsOfSchema(found: readonly FastifySchemaValidationError[], part: string): ProblemError[] {
  return found.slice(0, errorsMax).map((error) => {
    const path = pathOf(error);
    const detail = detailOf(error);
    if (part !== 'body') return { detail, parameter: path.join('.') };
    return path.length === 0 ? ofWholeBody(`the body ${detail}`) : { detail, pointer: pointerTo(path) };
  });
}

/** What is wrong with the body as a whole, which the empty pointer is. */
export function ofWholeBody(detail: string): ProblemError {
  return { detail, pointer: '' };
}

/** What the gateway found. It names fields as the contract does: `lines[2].quantity`, `request_id`. */
export function errorsOfViolations(violations: readonly Violation[], hasBody: boolean): ProblemError[] {
  return violations.map(({ field, description: detail }) => {
    if (field === 'request_id') return { detail, header: keyHeader };
    if (field === 'user_id' || field === forUserHeader.toLowerCase()) return { detail, header: forUserHeader };
    if (!hasBody || field === 'order_id' || field === 'entry_id') return { detail, parameter: field };
    return { detail, pointer: pointerTo(field.split(/[.[\]]+/).filter((step) => step !== '')) };
  });
}

/** The steps to the member that an error is about; Ajv reports unknown and missing members at their parent. */
function pathOf({ instancePath, params }: FastifySchemaValidationError): string[] {
  const steps = instancePath.split('/').slice(1);
  const member = params.additionalProperty ?? params.missingProperty;
  return member === undefined ? steps : [...steps, escaped(String(member))];
}

function detailOf(error: FastifySchemaValidationError & { parentSchema?: { description?: string } }): string {
  if (error.keyword === 'additionalProperties') return 'is not known';
  if (error.keyword === 'required') return 'is required';
  const expected = error.parentSchema?.description;
  return expected === undefined ? (error.message ?? 'is not valid') : `must be ${expected}`;
}

/** A JSON pointer as a URI fragment, as RFC 9457 writes it: `#/lines/2/quantity`. */
function pointerTo(steps: readonly string[]): string {
  return ['#', ...steps.map((step) => encodeURI(step))].join('/');
}

/** A member's name as a step of a pointer: bounded, and well-formed whatever the caller sent. */
function escaped(name: string): string {
  const wellFormed = Buffer.from(name.slice(0, stepMaxLength)).toString();
  return wellFormed.replaceAll('~', '~0').replaceAll('/', '~1');
}
