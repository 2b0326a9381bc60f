import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '#libs/runtime/metrics.js';
import { AvailabilityBoard } from '../app/availability-board.js';
import type { Told } from '../app/feed.js';
import { SharedFeeds } from '../app/shared-feeds.js';
import type { Gateway } from './gateway.js';
import { callerOf } from './identity.js';
import { idOf, resource, type Verb } from './resource.js';
import { streamDocs, streamOfOrder, streamOfPlace, streamOfSku } from './stream-schemas.js';
import { availabilityTold, entryTold, orderTold, placeTold } from './stream-told.js';
import { Streams, type StreamsOptions, type Topic } from './streams.js';

interface Parts {
  gateway: Gateway;
  feeds: SharedFeeds;
  board: AvailabilityBoard;
}

/**
 * Orders, entries of waitlists, places in line and where the units of skus are, as streams of events. What is a user's own is shared
 * by the streams of that user, a sku by all. The streams end when `app` begins to close.
 */
export function streamRoutes(app: FastifyInstance, gateway: Gateway, options: StreamsOptions): void {
  const streams = new Streams(options);
  const feeds = new SharedFeeds();
  const board = new AvailabilityBoard({ read: (skuIds) => readAvailability(gateway, skuIds) });
  countSources({ feeds, board }, options.metrics);
  app.addHook('preClose', (done) => {
    streams.close();
    board.close();
    done();
  });

  const parts = { gateway, feeds, board };
  const stream = (url: string, verb: Pick<Verb, 'doc' | 'forUser' | 'schema'>, topicOf: TopicOf): void => {
    const handler: Verb['handler'] = async (request, reply) => streams.serve(request, reply, topicOf(request, parts));
    resource(app, url, { GET: { ...verb, handler } });
  };
  stream('/v1/orders/:id/events', { forUser: true, doc: streamDocs.order, schema: streamOfOrder }, orderTopic);
  stream('/v1/waitlist/:id/events', { forUser: true, doc: streamDocs.entry, schema: streamOfOrder }, entryTopic);
  stream(
    '/v1/stores/:store/skus/:sku/place/events',
    { forUser: true, doc: streamDocs.place, schema: streamOfPlace },
    placeTopic,
  );
  stream(
    '/v1/skus/:id/availability/events',
    { forUser: false, doc: streamDocs.availability, schema: streamOfSku },
    availabilityTopic,
  );
}

type TopicOf = (request: FastifyRequest, parts: Parts) => Topic;

function orderTopic(request: FastifyRequest, { gateway, feeds }: Parts): Topic {
  const caller = callerOf(request);
  const orderId = idOf(request);
  const join = feeds.of(keyOf('order', caller.key, orderId), (left) =>
    toldOf(gateway.watchOrder(caller, orderId, left), orderTold),
  );
  return { event: 'order', owner: { userKey: caller.key }, join };
}

function entryTopic(request: FastifyRequest, { gateway, feeds }: Parts): Topic {
  const caller = callerOf(request);
  const entryId = idOf(request);
  const join = feeds.of(keyOf('entry', caller.key, entryId), (left) =>
    toldOf(gateway.watchWaitlist(caller, entryId, left), entryTold),
  );
  return { event: 'entry', owner: { userKey: caller.key }, join };
}

function placeTopic(request: FastifyRequest, { gateway, feeds }: Parts): Topic {
  const caller = callerOf(request);
  const { store: storeId, sku: skuId } = request.params as { store: string; sku: string };
  const join = feeds.of(keyOf('place', caller.key, storeId, skuId), (left) =>
    toldOf(gateway.watchPlace(caller, { storeId, skuId }, left), (place) => placeTold({ storeId, skuId }, place)),
  );
  return { event: 'place', owner: { userKey: caller.key }, join };
}

function availabilityTopic(request: FastifyRequest, { board }: Parts): Topic {
  return { event: 'availability', owner: { address: request.ip }, join: board.of(idOf(request)) };
}

/** Whoever has the same key is told the same: it holds all that decides what the caller may see. Ids have no spaces. */
function keyOf(...parts: string[]): string {
  return parts.join(' ');
}

async function* toldOf<Item>(items: AsyncIterable<Item | undefined>, told: (item: Item) => Told): AsyncGenerator<Told> {
  for await (const item of items) if (item !== undefined) yield told(item);
}

async function readAvailability(gateway: Gateway, skuIds: string[]): Promise<Map<string, Told>> {
  const read = await gateway.getAvailability({ skuIds });
  return new Map(read.map((availability) => [availability.skuId, availabilityTold(availability)]));
}

function countSources({ feeds, board }: Pick<Parts, 'feeds' | 'board'>, metrics: Metrics): void {
  metrics.gauge('stream_sources', 'What the open streams are fed from.', ['source'], (gauge) => {
    gauge.labels({ source: 'watch' }).set(feeds.size);
    gauge.labels({ source: 'availability' }).set(board.size);
  });
}
