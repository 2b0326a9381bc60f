import { OrderState } from '#libs/contracts/gen/holdfast/order/v1/order.js';
import {
  ReservationServiceDefinition,
  type ReserveResponse,
  type ReserveStreamItem,
  type ReserveStreamRequest,
  type ReserveStreamResponse,
  type ReserveStreamResult,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import type { TokenWish } from '#libs/identity/token-issuer.js';
import { Fault } from '#libs/refusal/fault.js';
import { BatchCaller } from '#libs/rpc/batch-caller.js';
import { type Client, connect } from '#libs/rpc/client.js';
import type { RpcServer } from '#libs/rpc/server.js';
import { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createLogger } from '#libs/runtime/logger.js';
import { bearerOf, testIdentity } from '#libs/testing/test-issuer.js';
import { readConfig } from '../src/config.js';
import { startGateway } from '../src/service.js';
import { emptyBooks, type FakeBooks, orderOf, type Place, startFakeInventory, startFakeOrders } from './fake-peers.js';

export type ReservationClient = Client<typeof ReservationServiceDefinition>;

/** Gateways of one set-up, over peers that hold whatever is asked. */
export interface GatewaysUnderTest {
  readonly books: FakeBooks;
  /** Holds whatever is asked, unless a test sets another. */
  place: Place;
  readonly addresses: string[];
  /** One for each gateway. */
  readonly clients: ReservationClient[];
  close(): Promise<void>;
}

/** Starts gateways with what `env` says beyond what every test needs. */
export async function startGateways(count: number, env: Record<string, string>): Promise<GatewaysUnderTest> {
  const logger = createLogger('test', 'silent');
  const books = emptyBooks();
  const holding: Place = (item) => {
    const order = books.rows.get(item.orderId) ?? orderOf(item, OrderState.ORDER_STATE_HELD);
    books.rows.set(item.orderId, order);
    return { $case: 'held', value: order };
  };
  const peers: RpcServer[] = [
    await startFakeInventory(books, (item) => gateways.place(item)),
    await startFakeOrders(books),
  ];
  const lives = Array.from({ length: count }, () => new Lifecycle(logger));
  const started = await Promise.all(
    lives.map((life, at) =>
      startGateway(
        readConfig({
          INSTANCE: `gateway-${at}`,
          GRPC_ADDRESS: '127.0.0.1:0',
          ADMIN_ADDRESS: '127.0.0.1:0',
          INVENTORY_TARGET: peers[0]?.address,
          ORDER_TARGET: peers[1]?.address,
          LOG_LEVEL: 'silent',
          ...testIdentity(),
          ...env,
        }),
        life,
      ),
    ),
  );
  const addresses = started.map(({ grpcAddress }) => grpcAddress);
  const clients = addresses.map((address) =>
    connect(ReservationServiceDefinition, address, { defaultDeadlineMs: 20_000 }),
  );
  const gateways: GatewaysUnderTest = {
    books,
    place: holding,
    addresses,
    clients,
    async close() {
      for (const client of clients) client.close();
      await Promise.all(lives.map((life) => life.close()));
      await Promise.all(peers.map((peer) => peer.drain()));
    },
  };
  return gateways;
}

/** Metadata of a call by a user, or as whom it is wished; `forUser` is whom it is done for. */
export function as(user: string, wish: TokenWish = {}, forUser?: string): { metadata: Record<string, string> } {
  const metadata = { authorization: bearerOf(user, wish) };
  return { metadata: forUser === undefined ? metadata : { ...metadata, 'holdfast-for-user': forUser } };
}

/** A stream of reservations at one gateway, opened with the token of a service. */
export function reserveStream(target: string, wish: TokenWish = {}) {
  return new BatchCaller<ReserveStreamItem, ReserveStreamResult, ReserveStreamRequest, ReserveStreamResponse>({
    service: ReservationServiceDefinition,
    method: ReservationServiceDefinition.methods.reserveStream,
    metadata: () => as('front', { role: 'SERVICE', ...wish }).metadata,
    target,
    wrap: (items) => ({ items }),
    results: ({ results }) => results,
    logger: createLogger('test', 'silent'),
  });
}

/** A reservation of one unit. */
export function reservation(requestId: string, skuId = 'sku-1', storeId = 'store-1') {
  return { storeId, requestId, lines: [{ skuId, quantity: 1, attendeeId: '', unitPriceMinor: 0 }] };
}

/** What a call came to: the outcome of a reservation, `OK` for another answer, else which limit or reason refused it. */
export async function outcomeOf(call: Promise<ReserveResponse | object>): Promise<string> {
  try {
    const answer = await call;
    return 'outcome' in answer ? (answer.outcome?.$case ?? 'none') : 'OK';
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.metadata.limit ?? thrown.reason;
    throw thrown;
  }
}

/** How often each outcome came. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
