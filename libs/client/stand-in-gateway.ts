import type { ServerCredentials } from '@grpc/grpc-js';
import {
  Channel,
  LimitScope,
  type Order,
  OrderState,
  type Refusal,
  RefusalReason,
} from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  ReservationServiceDefinition,
  type ReserveRequest,
  type ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { startServer } from '#libs/rpc/server.js';
import { type Handlers, implement } from '#libs/rpc/service.js';
import { createLogger } from '#libs/runtime/logger.js';

/** What the stand-in says to one try: an outcome, a fault, or nothing until the caller gives up. */
export type Said = NonNullable<ReserveResponse['outcome']> | Fault | 'nothing';

/** One try as it arrived. */
export interface Try {
  /** For whom a service acts. */
  userId: string;
  authorization: string | undefined;
  request: ReserveRequest;
}

type Verbs = Omit<Handlers<typeof ReservationServiceDefinition>, 'reserve' | 'reserveStream'>;

export interface StandInGateway {
  address: string;
  tries: Try[];
  /** Answers from here on, the last one over and over. */
  says(...answers: Said[]): void;
  /** Serves these from here on, and nothing else but reserve. */
  serves(verbs: Partial<Verbs>): void;
  close(): Promise<void>;
}

async function absent(..._call: unknown[]): Promise<never> {
  throw new Fault('INTERNAL', 'not part of this test');
}

/** A gateway for tests of clients: real gRPC, plain unless there are credentials, and answers that a test chose. */
export async function startStandInGateway(credentials?: ServerCredentials): Promise<StandInGateway> {
  const tries: Try[] = [];
  let answers: Said[] = [];
  let served: Partial<Verbs> = {};
  const others = Object.keys(ReservationServiceDefinition.methods).map((name) => {
    const verb = (...call: unknown[]) =>
      (((served as Record<string, unknown>)[name] as typeof absent | undefined) ?? absent)(...call);
    return [name, verb];
  });
  const service = implement(ReservationServiceDefinition, {
    ...(Object.fromEntries(others) as Verbs),
    reserveStream: () => undefined,
    async reserve(request, call) {
      const [userId = '', authorization] = ['holdfast-for-user', 'authorization'].map((name) => call.metadata(name));
      tries.push({ userId, authorization, request });
      const said = answers[Math.min(tries.length, answers.length) - 1];
      if (said === undefined || said instanceof Fault) throw said;
      if (said === 'nothing') await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      return { outcome: said === 'nothing' ? undefined : said };
    },
  });
  const logger = createLogger('stand-in', 'silent');
  const server = await startServer({ address: '127.0.0.1:0', credentials, services: [service], logger, drainMs: 50 });
  server.serving(true);
  return {
    address: server.address,
    tries,
    says(...given) {
      answers = given;
      tries.length = 0;
    },
    serves(verbs) {
      served = verbs;
    },
    close: () => server.drain(),
  };
}

/** A held order of ada's. */
export const heldOrder: Order = {
  orderId: '0a1b0000-0000-8000-8000-000000000001',
  storeId: 'kiln',
  userId: 'ada',
  requestId: 'key-1',
  state: OrderState.ORDER_STATE_HELD,
  version: 1,
  lines: [{ skuId: 'mug', quantity: 2, attendeeId: 'ada', unitPriceMinor: 2_800 }],
  amountMinor: 5_600,
  currency: 'EUR',
  createdAt: new Date('2030-01-01T00:00:00.000Z'),
  expiresAt: new Date('2030-01-01T00:15:00.000Z'),
  code: '',
  fulfilledAt: undefined,
  entryId: '',
  extendedAt: undefined,
  channel: Channel.CHANNEL_APP,
  refusal: undefined,
};

/** The facts of a refusal, of which a test says what it is about. */
export const noRefusal: Refusal = {
  ...{
    reason: RefusalReason.REFUSAL_REASON_UNSPECIFIED,
    skuId: 'mug',
    free: 0,
    slotPast: false,
    limit: 0,
    ownOrderId: '',
  },
  ...{ nextReleaseAt: undefined, opensAt: undefined, closedAt: undefined, scope: LimitScope.LIMIT_SCOPE_UNSPECIFIED },
};
