import { shardOfOrder } from '#libs/contracts/order-id.js';
import { type Fault, faultOf } from '#libs/refusal/fault.js';
import { encode, type MessageType } from '#libs/rpc/definition.js';
import type { EndOfTry } from '../domain/ending-of.js';
import { isOrderId } from '../domain/fields.js';
import type { LimitedFaults } from './limits/limited-faults.js';
import { fingerprintOf, markOf, nextOwner, shardOfMark } from './marks.js';
import { type Carried, Once, type OnceOptions, type Verb } from './once.js';
import type { Beginning, Caller } from './ports.js';

/** No caller is waited for longer, whatever time it has. */
const waitMaxMs = 5_000;

interface Asked {
  readonly orderId: string;
  readonly requestId: string;
}

/** One way of changing an order that exists. */
export interface OrderChange<Request extends Asked, Response> {
  readonly method: string;
  readonly responseType: MessageType<Response>;
  /** Whose request_id it is. */
  userOf(request: Request): string;
  /** Whether that is a user, who has a bucket. */
  readonly isPaidByUser: boolean;
  /** What makes it this change and no other. */
  meaningOf(request: Request): readonly (string | number)[];
  /** Rejects with a Fault. */
  carryOut(request: Request, caller: Caller): Promise<Response>;
}

export interface ChangeOrderOptions extends Omit<OnceOptions<unknown, unknown>, 'verb' | 'room'> {
  shards: number;
  limitedFaults: LimitedFaults;
}

type Answer<Response> = { readonly response: Response } | { readonly fault: Fault };
type Call<Request> = { readonly request: Request; readonly caller: Caller };

/** A change that is carried out once for each user and request_id; it rejects with a Fault. */
export type ChangeOrder<Request, Response> = (request: Request, caller: Caller) => Promise<Response>;

/** Cancelling and paying: the same mark, the same replays, another verb. */
export function createChangeOrder<Request extends Asked, Response>(
  change: OrderChange<Request, Response>,
  options: ChangeOrderOptions,
): { changeOrder: ChangeOrder<Request, Response>; close(): void } {
  const { requests, shards, logger } = options;
  const once = new Once<Call<Request>, Answer<Response>>({
    verb: verbOf(change, options),
    requests,
    localBuckets: change.isPaidByUser ? options.localBuckets : undefined,
    logger,
    ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
  });
  return { changeOrder, close: () => once.close() };

  async function changeOrder(request: Request, caller: Caller): Promise<Response> {
    // An id that no order can have is nobody's: the verb says so.
    if (!isOrderId(request.orderId)) return change.carryOut(request, caller);
    const giveUpAt = performance.now() + Math.min(waitMaxMs, caller.remainingMs());
    const answer = await once.run({ request, caller }, beginningOf(request), giveUpAt);
    if ('fault' in answer) throw answer.fault;
    return answer.response;
  }

  function beginningOf(request: Request): Beginning {
    const userId = change.userOf(request);
    const markId = markOf(change.method, userId, request.requestId);
    return {
      markId,
      shard: shardOfMark(markId, shards),
      fingerprint: fingerprintOf(change.meaningOf(request)),
      owner: nextOwner(),
      userId: change.isPaidByUser ? userId : '',
      storeId: '',
      skus: [],
    };
  }
}

function verbOf<Request extends Asked, Response>(
  change: OrderChange<Request, Response>,
  { requests, shards, limitedFaults, logger }: ChangeOrderOptions,
): Verb<Call<Request>, Answer<Response>> {
  return {
    makesOrders: false,
    async carryOut({ request, caller }) {
      try {
        // Before the change goes out: from now on a replay of the reservation reads the order.
        await requests
          ?.changing(request.orderId, shardOfOrder(request.orderId, shards))
          .catch((error: unknown) => logger.debug({ err: error }, 'a change was not announced'));
        const response = await change.carryOut(request, caller);
        return carried({ response }, 'OK', encode(change.responseType, response));
      } catch (thrown) {
        const fault = faultOf(thrown);
        return carried({ fault }, fault.reason);
      }
    },
    replay: (_, { answer }) => ({ response: change.responseType.decode(answer) }),
    again: (answer) => answer,
    queue: () => {
      throw new Error('a change of an order was given a place in line');
    },
    limit: (_, limited) => ({ fault: limitedFaults.faultOf(limited) }),
    fail: (fault) => ({ fault }),
  };
}

const nothing: Uint8Array = new Uint8Array();

function carried<Answer>(answer: Answer, end: EndOfTry, bytes = nothing): Carried<Answer> {
  return { answer, end, bytes, shut: [] };
}
