import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import type { Releases } from '../../app/ports.js';
import { toSku, toUnits } from '../skus/sku-calls.js';
import { toStockPath } from '../switches/switch-calls.js';
import type { Wire } from '../wire.js';

/** Sales that open, as the gateway tells them. */
export function releaseCalls({ connect, options }: Wire): Releases {
  const control = connect(ControlServiceDefinition);
  return {
    async listReleases(wanted, pageSize, pageToken) {
      const { releases, nextPageToken } = await control.listReleases({ ...wanted, pageSize, pageToken }, options);
      const items = releases.map(({ sku, availability, gateLoaded, stockPath }) => ({
        sku: toSku(sku),
        units: toUnits(availability),
        gateLoaded,
        stockPath: toStockPath(stockPath),
      }));
      return { items, nextPageToken };
    },
  };
}
