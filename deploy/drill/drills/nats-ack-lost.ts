import type { Drill } from '../drill.js';
import type { Stage } from '../stage.js';
import { rewriteFunction } from '../unsafe.js';

export const natsAckLost: Drill = {
  name: 'nats-ack-lost',
  about: 'streams store what they are given, and nobody hears that they did',
  recovery: 'the network to NATS carries answers again',
  fault: ({ links }) => links.nats.dropReplies(),
  heal: ({ links }) => links.nats.heal(),
  twin: {
    without: 'what makes two claims of one order one: its key, and the look for its row',
    prepare: async (stage) => {
      await dropKeys(stage);
      const look = 'JOIN orders ON orders.order_id = u.order_id';
      await rewriteFunction(stage, 'claims_admit', look, `${look} AND false`);
    },
  },
};

async function dropKeys({ sql }: Stage): Promise<void> {
  const keys = { orders: 'order_id', order_lines: 'order_id', movements: 'order_id', outbox: 'order_id' };
  for (const [table, column] of Object.entries(keys)) {
    await sql(`ALTER TABLE ledger.${table} DROP CONSTRAINT ${table}_pkey`);
    await sql(`CREATE INDEX ON ledger.${table} (${column})`);
  }
}
