import { Client } from 'pg';
import type { Logger } from '#libs/runtime/logger.js';

const TIMEOUT_MS = 2_000;

export interface SessionLockOptions {
  readonly url: string;
  /** Names the lock among all of the database. */
  readonly name: string;
  /** What `pg_stat_activity` shows. */
  readonly applicationName: string;
  readonly logger: Logger;
}

/**
 * A lock that one process of all holds for as long as it lives: an advisory lock of the database on a connection that
 * is there for nothing else. The database gives it to another when that connection ends. A process that loses it notices
 * a moment later, so what the lock guards must bear two holders for that moment.
 */
export class SessionLock {
  readonly #options: SessionLockOptions;
  #client: Client | undefined;
  #held = false;

  constructor(options: SessionLockOptions) {
    this.#options = options;
  }

  /** Whether it is held here; tries to get it when it is not. Rejects when the database cannot be asked. */
  async tryHold(): Promise<boolean> {
    if (this.#held) return true;
    try {
      const client = this.#client ?? (await this.#connect());
      const { rows } = await client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [this.#options.name],
      );
      this.#held = this.#client === client && rows[0]?.held === true;
    } catch (error) {
      await this.release();
      throw error;
    }
    return this.#held;
  }

  /** Gives it up, if it is held, and disconnects. */
  async release(): Promise<void> {
    const client = this.#client;
    this.#forget();
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.#options.url,
      application_name: this.#options.applicationName,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    // Without a listener a lost connection would end the process.
    client.on('error', (error) => {
      this.#options.logger.warn({ err: error, lock: this.#options.name }, 'lost the connection of a lock');
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
    this.#held = false;
  }
}
