import { drive } from '../../bench/drivers/drive.js';
import { reserveMethod } from '../../bench/drivers/reserve-method.js';
import { importSkus } from '../local/import-skus.js';
import type { Mesh } from '../local/mesh.js';
import type { Effort } from './effort.js';
import type { Meter } from './rounds.js';

const storeId = 'calibrate';
/** No limit stands in the way of what is measured. */
export const noRateLimit = { perSecond: 1_000_000, burst: 1_000_000 };
const inFlight = 256;
const deadlineMs = 5_000;
/** Of the requests of one run, before its clock starts: connections open, code is compiled. */
const warmUpShare = 0.4;

/** How many reservations of one hot sku the whole path answers in a second: `Reserve` in a closed loop, 256 in flight, a unit for everybody. */
export function pathMeter(mesh: Mesh, { pathRequests }: Effort): Meter {
  return {
    name: 'path',
    async run(tag) {
      const { services, gateway } = mesh.describe();
      const skuId = `path-${tag}`;
      const warmUp = Math.round(pathRequests * warmUpShare);
      const sku = { skuId, storeId, title: skuId, capacity: pathRequests + warmUp, rateLimit: noRateLimit };
      await importSkus(services.inventory?.[0]?.grpc ?? '', [sku]);
      const load = { storeId, skuId, tag, warmUp, requests: pathRequests, inFlight, deadlineMs };
      const { durationMs, outcomes } = await drive({ address: gateway, path: reserveMethod.path, ...load });
      const { HELD, PENDING, ...unexpected } = outcomes;
      if (Object.keys(unexpected).length > 0) throw new Error(`reservations ended with ${JSON.stringify(unexpected)}`);
      return pathRequests / (durationMs / 1_000);
    },
    close: async () => {},
  };
}
