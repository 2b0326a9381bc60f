import type { Ledger } from '#libs/ledger/ledger.js';
import type { Messaging } from '#libs/messaging/messaging.js';
import type { SessionLock } from '#libs/postgres/session-lock.js';
import type { Logger } from '#libs/runtime/logger.js';
import { Trouble } from '#libs/runtime/trouble.js';
import type { RelayPorts } from '../app/relay-outbox.js';
import type { OrderConfig } from '../config.js';
import { storeAlertEvent } from './alert-events.js';
import { storeEvent } from './events.js';
import type { OrderMetrics } from './metrics.js';
import { orderEventsSpec } from './streams.js';

export interface OutboxRelayOptions {
  readonly config: OrderConfig;
  readonly ledger: Ledger;
  readonly messaging: Messaging;
  /** Which of all processes relays. Two for a moment do no harm: message ids and versions tell. */
  readonly lock: SessionLock;
  readonly metrics: OrderMetrics;
  readonly logger: Logger;
}

/** The relay's ports on the real servers. */
export function relayPorts({ config, ledger, messaging, lock, metrics, logger }: OutboxRelayOptions): RelayPorts {
  // Looked at again after anything went wrong: the stream may have vanished.
  const trouble = new Trouble({
    logger,
    wrong: 'events could not be relayed, they are tried again',
    well: 'events are relayed again',
  });
  let streamChecked = false;
  return {
    isMine: () => lock.tryHold(),
    async streamReady() {
      if (!messaging.connected) return false;
      if (!streamChecked) await messaging.ensureStream(orderEventsSpec(config));
      streamChecked = true;
      return true;
    },
    async outboxTake(limit) {
      const entries = await ledger.outboxTake(limit);
      metrics.outboxLag(entries.length);
      return entries;
    },
    store: (entry) => storeEvent(messaging, entry),
    async outboxMarkPublished(entries) {
      // Of another process that relayed at the same moment, only one notes a row, and that one counts it.
      const noted = new Set(await ledger.outboxMarkPublished(entries.map(({ id }) => id)));
      metrics.told(entries.filter(({ id }) => noted.has(id)));
      trouble.well();
    },
    alertsUntold: (limit) => ledger.alertsUntold(limit),
    storeAlert: (news) => storeAlertEvent(messaging, news),
    alertsMarkTold: (told) => ledger.alertsMarkTold(told),
    failed(error) {
      trouble.wrong({ err: error });
      streamChecked = false;
    },
  };
}
