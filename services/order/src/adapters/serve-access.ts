import { AccessServiceDefinition } from '#libs/contracts/gen/holdfast/order/v1/access_service.js';
import { orderId } from '#libs/contracts/order-id.js';
import type { Ledger } from '#libs/ledger/ledger.js';
import { implement, type ServiceImplementation } from '#libs/rpc/service.js';
import { RequestCheck } from './requests.js';

const largestBatch = 5_000;
const usualPrune = 10_000;
const largestPrune = 50_000;

/** The AccessService on the wire: records get the id of what they are about, and go to the ledger as they are. */
export function accessService(
  ledger: Pick<Ledger, 'accessRecord' | 'accessPrune'>,
  { keepDays }: { keepDays: number },
): ServiceImplementation {
  return implement(AccessServiceDefinition, {
    async recordAccess({ instance, records }) {
      new RequestCheck()
        .field('instance', instance, 'longId')
        .that(records.length <= largestBatch, 'records', `must be at most ${largestBatch}`)
        .done();
      const arrived = new Date();
      await ledger.accessRecord(
        instance,
        records.map((record) => ({
          ...record,
          at: record.at ?? arrived,
          weight: Math.max(1, record.weight),
          orderId: orderId(record.storeId, record.userId, record.requestId),
        })),
      );
      return {};
    },

    async pruneAccess({ batchSize }) {
      const allowed = batchSize >= 0 && batchSize <= largestPrune;
      new RequestCheck().that(allowed, 'batch_size', `must be 0 to ${largestPrune}`).done();
      const atMost = batchSize || usualPrune;
      const pruned = await ledger.accessPrune(keepDays, atMost);
      return { pruned, hasMore: pruned === atMost };
    },
  });
}
