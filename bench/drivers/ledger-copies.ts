import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import type { PrivateServer } from '#libs/servers/private-server.js';
import { startPostgres } from '#libs/servers/start-postgres.js';
import { migrateLedger } from '../../deploy/local/migrate-ledger.js';

const template = 'ledger_template';
const lookEveryMs = 20;

/** A private Postgres on which every run has an empty ledger of its own. */
export class LedgerCopies {
  #made = 0;

  private constructor(
    private readonly server: PrivateServer,
    private readonly admin: Client,
  ) {}

  static async open(directory: string, life: Lifecycle): Promise<LedgerCopies> {
    const postgres = await startPostgres({ directory: join(directory, 'postgres') });
    life.closer('postgres', () => postgres.stop());
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    life.closer('postgres client', () => admin.end());
    const copies = new LedgerCopies(postgres, admin);
    await admin.query(`CREATE DATABASE ${template}`);
    await migrateLedger(copies.#urlOf(template), () => {});
    return copies;
  }

  get postgresPid(): number {
    return this.server.pid;
  }

  /** The URL of an empty ledger. What earlier runs left to write is written first, so that this run does not pay for it. */
  async make(): Promise<string> {
    const name = `ledger_${++this.#made}`;
    await this.admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await this.admin.query('CHECKPOINT');
    return this.#urlOf(name);
  }

  /** Transactions committed in a ledger so far. Exact once those who wrote it have disconnected. */
  async commits(url: string): Promise<number> {
    const { rows } = await this.admin.query<{ commits: string }>(
      'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = $1',
      [nameOf(url)],
    );
    return Number(rows[0]?.commits);
  }

  /** Waits until all have disconnected: a pool ends before its connections do, and would complain that one was cut off. */
  async drop(url: string): Promise<void> {
    while ((await this.#connections(url)) > 0) await pause(lookEveryMs);
    await this.admin.query(`DROP DATABASE ${nameOf(url)}`);
  }

  async #connections(url: string): Promise<number> {
    const { rows } = await this.admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [nameOf(url)]);
    return rows.length;
  }

  #urlOf(name: string): string {
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
