import { performance } from 'node:perf_hooks';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { Fault } from '#libs/refusal/fault.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import { spoilsConnection, toFault } from './errors.js';
import type { Statement } from './statement.js';

/**
 * One connection in the hands of one caller, up to a deadline. It decides whether the connection may be used again: one
 * that still owes a reply, or that broke, is destroyed when the lease ends, so that nobody reads another's result.
 */
export class Lease {
  #usable = true;

  constructor(
    readonly client: PoolClient,
    readonly deadlineAt: number,
    private readonly broken: WeakSet<object>,
  ) {}

  /** Runs a statement, prepared under its name on first use; an empty name is sent as it is. */
  async run<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
    deadlineAt = this.deadlineAt,
  ): Promise<QueryResult<Row>> {
    const remainingMs = deadlineAt - performance.now();
    if (remainingMs <= 0) throw new Fault('BUSY', 'the deadline passed before the database was asked');
    const { name, text } = statement;
    try {
      // Without values it goes as a simple query: BEGIN and COMMIT cost no more than they must.
      const query = this.client.query<Row>(values.length > 0 || name ? { name, text, values: [...values] } : text);
      return await withinDeadline(query, remainingMs, noAnswer);
    } catch (error) {
      const fault = toFault(error, this.broken.has(this.client));
      if (spoilsConnection(fault)) this.#usable = false;
      throw fault;
    }
  }

  /** Marks the connection as one that must not be used again. */
  spoil(): void {
    this.#usable = false;
  }

  /** Ends the lease: the connection goes back to the pool, or is destroyed. */
  end(): void {
    this.client.release(!this.#usable);
  }
}

function noAnswer(): Fault {
  return new Fault('UNAVAILABLE', 'the database did not answer in time');
}
