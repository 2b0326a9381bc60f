// Another team's service, in sixty lines: it takes wishes by HTTP and books them through gRPC for whoever wished.
//
//   npm run service                           beside the mesh that npm start runs
//   npm run service -- --gateway host:7011 --token-file FILE --port 8090
//   curl -X PUT http://127.0.0.1:8090/wishes/w-1 -d '{"person":"ada","store":"kiln","sku":"kiln-mug","quantity":1}'
//
// The id of a wish is the request_id: whoever sends a wish again, after a timeout or a crash on either side, has one order.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { connectHoldfast, Fault, type OrderOutcome, orderStateName, type ReserveOutcome } from '#libs/client/index.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { MESH_DIRECTORY, readMeshFile } from '#libs/mesh/mesh-file.js';

const { values } = parseArgs({
  options: { gateway: { type: 'string' }, 'token-file': { type: 'string' }, port: { type: 'string', default: '8090' } },
});
const mesh = readMeshFile(MESH_DIRECTORY);
const target = values.gateway ?? mesh?.gateway;
if (target === undefined) throw new Error('No mesh runs here: npm start, or name a gateway with --gateway host:port');
// Asked before each try: whoever renews the file needs no restart here. The mesh on this machine issues tokens by itself.
const issued = mesh && localTokens(mesh.identity)('wishes', { role: 'SERVICE', seconds: 30 * 86_400 });
const file = values['token-file'];
const token = async () => (file === undefined ? (issued ?? '') : (await readFile(file, 'utf8')).trim());
const holdfast = connectHoldfast(target, { token });

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch(answerOfFault);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(values.port), '127.0.0.1', () => console.log('listening on', server.address()));

async function answer(request: IncomingMessage): Promise<[number, object]> {
  const [, requestId] = /^\/wishes\/([\w-]{1,100})$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'PUT' || requestId === undefined) return [404, { sorry: 'PUT /wishes/ID' }];
  if (Number(request.headers['content-length'] ?? 9_999) > 1_000) return [413, { sorry: 'a wish is short' }];
  const body = await text(request)
    .then(JSON.parse)
    .catch(() => undefined);
  if (typeof body?.person !== 'string') return [400, { sorry: 'a wish is JSON: person, store, sku, quantity' }];
  const { person, store, sku, quantity } = body;
  const user = holdfast.forUser(person);
  const wish = { storeId: String(store), lines: [{ skuId: String(sku), quantity: Number(quantity) }], requestId };
  const outcome = await user.reserve(wish, { deadlineMs: 8_000 });
  return answerOf(
    outcome.kind === 'PENDING' ? await user.waitForOrder(outcome.orderId, { deadlineMs: 8_000 }) : outcome,
  );
}

function answerOf(outcome: ReserveOutcome | OrderOutcome): [number, object] {
  if (outcome.kind === 'REFUSED') return [409, { sorry: outcome.reason }];
  if (outcome.kind === 'QUEUED') return [202, { again_after_ms: outcome.retryAfterMs, ahead: outcome.peopleAhead }];
  if (outcome.kind === 'WAITLISTED') return [202, { waits_as: outcome.entryId, ahead: outcome.peopleAhead }];
  // Nothing is booked twice by sending the wish again.
  if (outcome.kind === 'UNDECIDED') return [503, { sorry: outcome.fault.reason }];
  if (!('order' in outcome)) return [202, { order: outcome.orderId }];
  const { orderId, state, expiresAt } = outcome.order;
  return [200, { order: orderId, state: orderStateName(state), pay_until: expiresAt }];
}

function answerOfFault(thrown: unknown): [number, object] {
  if (!(thrown instanceof Fault)) return [500, { sorry: 'something went wrong here' }];
  return [422, { sorry: thrown.reason, what: thrown.message, violations: thrown.violations }];
}
