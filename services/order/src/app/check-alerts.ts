import type { AlertToRaise, OpenAlerts } from '#libs/ledger/alerts.js';
import type { Ledger } from '#libs/ledger/ledger.js';

/** Holds and events are late, and a consumer is stalled, from here on. */
const expiryLateMs = 5_000;
const outboxLateMs = 5_000;
const stalledAfterMs = 10_000;

/** How the claims of one shard stand in the stream, for all processes together. */
export interface ShardStanding {
  readonly shard: number;
  /** Messages that nobody is done with. */
  readonly waiting: number;
  /** For how long messages wait and none moves; undefined when that is not known now. */
  readonly stillMs: number | undefined;
}

export interface CheckPorts {
  readonly ledger: Pick<Ledger, 'alertRaise' | 'alertsCheck'>;
  /** Whether events are published here: else none is late. */
  readonly relays: boolean;
  /** Of every shard whose claims are taken here. */
  readonly shards: () => readonly ShardStanding[];
  readonly failed: (error: unknown) => void;
}

/** What one look did, and the alerts that are open then. */
export interface CheckReport {
  readonly raised: number;
  readonly cleared: number;
  readonly open: OpenAlerts;
}

/**
 * Looks for what a person should look at. What the ledger cannot know, the state of the consumers, is told to it here; any
 * process may look, and all that see the same raise the same alert.
 */
export class AlertCheck {
  readonly #ports: CheckPorts;
  /** Shards whose consumer had vanished, until the ledger knows. */
  readonly #remade = new Set<number>();

  constructor(ports: CheckPorts) {
    this.#ports = ports;
  }

  /** Hears that the consumer of a shard had vanished and was made again: raised now, or with the next look. */
  consumerRemade(shard: number): void {
    this.#remade.add(shard);
    this.#raiseRemade().catch(this.#ports.failed);
  }

  /** One look. Rejects as the ledger does: what was not raised then is with the next look. */
  async look(): Promise<CheckReport> {
    const { ledger, relays, shards } = this.#ports;
    const known = shards().filter(({ stillMs }) => stillMs !== undefined);
    const stalled = known.filter(({ stillMs = 0 }) => stillMs > stalledAfterMs);
    let raised = await this.#raiseRemade();
    for (const standing of stalled) raised += Number(await ledger.alertRaise(stalledAlert(standing)));
    const report = await ledger.alertsCheck({
      expiryLateMs,
      ...(relays && { outboxLateMs }),
      flowing: known.filter((standing) => !stalled.includes(standing)).map(({ shard }) => subjectOf(shard)),
      settledMs: stalledAfterMs,
    });
    return { ...report, raised: report.raised + raised };
  }

  async #raiseRemade(): Promise<number> {
    let raised = 0;
    for (const shard of this.#remade) {
      raised += Number(await this.#ports.ledger.alertRaise(remadeAlert(shard)));
      this.#remade.delete(shard);
    }
    return raised;
  }
}

function stalledAlert({ shard, waiting, stillMs }: ShardStanding): AlertToRaise {
  return {
    kind: 'STALLED_CONSUMER',
    subject: subjectOf(shard),
    facts: { shard, messages: waiting, still_ms: Math.round(stillMs ?? 0) },
    command: 'holdfast status',
  };
}

function remadeAlert(shard: number): AlertToRaise {
  return {
    kind: 'STALLED_CONSUMER',
    subject: subjectOf(shard),
    facts: { shard, cause: 'the consumer, or its stream, had vanished and was made again' },
    command: 'holdfast status',
  };
}

function subjectOf(shard: number): string {
  return `shard-${shard}`;
}
