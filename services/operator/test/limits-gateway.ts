import {
  ControlServiceDefinition,
  type ListLimitsRequest,
  type ListLimitsResponse,
  type SetLimitsRequest,
  type SetLimitsResponse,
} from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import {
  Availability,
  LimitSource,
  OnBusy,
  Sku,
  type SkuLimits,
} from '#libs/contracts/gen/holdfast/inventory/v1/sku.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { partOf } from '#libs/rpc/definition.js';
import { startServer } from '#libs/rpc/server.js';
import { implement } from '#libs/rpc/service.js';
import { createLogger } from '#libs/runtime/logger.js';
import { authorize } from './mesh-here.js';

/** A gateway that knows the limits of one store, and what it was asked. */
export interface LimitsGateway {
  address: string;
  listed: ListLimitsRequest[];
  set: SetLimitsRequest[];
  /** Who the callers said they were. */
  roles: (string | undefined)[];
  /** What the next calls reject with. */
  fault: Fault | undefined;
  /** A sku whose limits cannot be set. */
  missing: string;
  /** Whether the store has skus. */
  hasSkus: boolean;
  /** What listing the limits rejects with, and nothing else. */
  listFault: Fault | undefined;
  close(): Promise<void>;
}

const storeId = 'kiln';
const mug: SkuLimits = {
  storeId,
  skuId: 'kiln-mug',
  rateLimit: { perSecond: 4_000, burst: 80 },
  source: LimitSource.LIMIT_SOURCE_SKU,
  onBusy: OnBusy.ON_BUSY_FAIL,
  requireIssuedRequestId: true,
};
const wheel: SkuLimits = {
  ...mug,
  skuId: 'kiln-wheel',
  rateLimit: undefined,
  source: LimitSource.LIMIT_SOURCE_CONFIGURED,
  onBusy: OnBusy.ON_BUSY_QUEUE,
};

const { getSku } = ReservationServiceDefinition.methods;
const onlyGetSku = { ...ReservationServiceDefinition, methods: { getSku } } as const;
const someSku = Sku.decode(new Uint8Array());
const someUnits = Availability.decode(new Uint8Array());

/** Pages hold one sku each. */
const limitMethods = partOf(ControlServiceDefinition, ['listLimits', 'setLimits']);

export async function startLimitsGateway(): Promise<LimitsGateway> {
  const fake: LimitsGateway = {
    address: '',
    listed: [],
    set: [],
    roles: [],
    fault: undefined,
    missing: '',
    hasSkus: true,
    listFault: undefined,
    close: () => server.drain(),
  };
  const service = implement(limitMethods, {
    async listLimits(request, call) {
      fake.roles.push(call.principal?.role);
      fake.listed.push(request);
      const fault = fake.fault ?? fake.listFault;
      if (fault) throw fault;
      return fake.hasSkus ? page(request) : { ...page(request), skus: [], nextPageToken: '' };
    },
    async setLimits(request, call) {
      fake.roles.push(call.principal?.role);
      fake.set.push(request);
      if (fake.fault) throw fake.fault;
      if (request.skuId !== '' && request.skuId === fake.missing) throw new Fault('SKU_NOT_FOUND', 'no such sku');
      return answer(request);
    },
  });
  const skus = implement(onlyGetSku, {
    getSku: async ({ skuId }) => ({ sku: { ...someSku, skuId, storeId }, availability: someUnits }),
  });
  const server = await startServer({
    address: '127.0.0.1:0',
    services: [service, skus],
    authorize,
    logger: createLogger('fake', 'silent'),
    reflection: false,
    drainMs: 50,
  });
  fake.address = server.address;
  return fake;
}

function page({ pageToken }: ListLimitsRequest): ListLimitsResponse {
  return {
    configured: { perSecond: 50, burst: 60 },
    store: { ...noOrderLimits, storeId, rateLimit: undefined, requireIssuedRequestId: true },
    skus: pageToken === '' ? [mug] : [wheel],
    nextPageToken: pageToken === '' ? 'second' : '',
  };
}

function answer({
  storeId,
  skuId,
  rateLimit,
  onBusy,
  requireIssuedRequestId = false,
}: SetLimitsRequest): SetLimitsResponse {
  if (skuId === '') return { store: { ...noOrderLimits, storeId, rateLimit, requireIssuedRequestId }, sku: undefined };
  const source = rateLimit ? LimitSource.LIMIT_SOURCE_SKU : LimitSource.LIMIT_SOURCE_CONFIGURED;
  return {
    store: undefined,
    sku: { storeId, skuId, rateLimit, source, onBusy: onBusy ?? OnBusy.ON_BUSY_QUEUE, requireIssuedRequestId },
  };
}

const noOrderLimits = { perAttendeeLimit: 0, openOrdersPerUser: 0, unfulfilledPerUser: 0, groups: [] };
