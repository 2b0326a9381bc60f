import { Client } from 'pg';
import type { Logger } from '#libs/runtime/logger.js';

const timeoutMs = 2_000;
const tryLock = "SELECT pg_try_advisory_lock(hashtextextended('holdfast relay-outbox', 0)) AS mine";

export interface RelayTurnOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly logger: Logger;
}

/**
 * Which of all processes relays: the one whose connection holds an advisory lock of the database. The connection is
 * there for nothing else, so the lock lasts until this process gives it up or dies. Should it be lost unnoticed, two
 * relay for a moment: message ids and versions make that harmless.
 */
export class RelayTurn {
  readonly #options: RelayTurnOptions;
  #client: Client | undefined;
  #mine = false;

  constructor(options: RelayTurnOptions) {
    this.#options = options;
  }

  /** Whether it is this process; asks for the lock when it does not hold it. */
  async isMine(): Promise<boolean> {
    if (this.#mine) return true;
    try {
      const client = this.#client ?? (await this.#connect());
      const { rows } = await client.query<{ mine: boolean }>(tryLock);
      this.#mine = this.#client === client && rows[0]?.mine === true;
    } catch (error) {
      await this.close();
      throw error;
    }
    if (this.#mine) this.#options.logger.info('this process relays the outbox');
    return this.#mine;
  }

  /** Gives the turn up. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#forget();
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.#options.databaseUrl,
      application_name: this.#options.applicationName,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    });
    // Without a listener a lost connection would end the process.
    client.on('error', (error) => {
      this.#options.logger.warn({ err: error }, 'lost the turn to relay the outbox');
      if (this.#client === client) this.#forget();
    });
    client.on('end', () => {
      if (this.#client === client) this.#forget();
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  #forget(): void {
    this.#client = undefined;
    this.#mine = false;
  }
}
