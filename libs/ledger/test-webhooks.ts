import { randomUUID } from 'node:crypto';
import type { TestLedger } from './test-ledger.js';
import type { EndpointToPut } from './webhook-desk.js';

export const secret = 'whsec_first';
/** An operator, with a request of her own. */
export const olga = () => ({ by: 'olga', requestId: randomUUID() });

/** Adds an endpoint of store-1 that wants everything, unless it is said otherwise; resolves with its id. */
export async function putEndpoint({ ledger }: TestLedger, parts: Partial<EndpointToPut> = {}): Promise<string> {
  const { endpointId } = await ledger.webhookEndpointPut({
    ...{ endpointId: `whe_${randomUUID()}`, isNew: true, storeId: 'store-1', url: 'https://example.com/', secret },
    ...{ eventTypes: [], ...olga(), ...parts },
  });
  return endpointId;
}
