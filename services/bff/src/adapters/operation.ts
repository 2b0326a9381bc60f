import type { FastifySchema } from 'fastify';
import type { FaultReason } from '#libs/refusal/fault.js';

/** A header that a request may or must have. */
export interface HeaderDoc {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly example?: string;
}

/** What the published document says of one method of a resource, beyond its schemas and what goes for all. */
export interface OperationDoc {
  /** Names it, for ever. */
  readonly id: string;
  readonly tag: 'orders' | 'skus' | 'waitlist' | 'payments' | 'streams' | 'document';
  readonly summary: string;
  /** What its good answers are, by status. */
  readonly answers: Readonly<Record<number, string>>;
  /** Why it may fail, besides what goes for all of its kind. */
  readonly reasons?: readonly FaultReason[];
  /** The true noes that it may answer with, as 409. */
  readonly refusals?: readonly string[];
  /** What its body is like, where no schema judges it. */
  readonly body?: object;
  readonly headers?: readonly HeaderDoc[];
  /** The edge answers it by itself, without asking anybody. */
  readonly isLocal?: boolean;
  /** What its path names that may not be there, of which only HTTP knows. */
  readonly mayLack?: string;
}

/** A route as the document needs it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the router has it. */
  readonly url: string;
  readonly forUser: boolean;
  readonly keyless: boolean;
  readonly schema: FastifySchema;
  readonly doc: OperationDoc;
}
