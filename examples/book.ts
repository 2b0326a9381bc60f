// Books one unit of a sku through gRPC, against the mesh that npm start runs, in one command:
//
//   npm run book                          a mug of the kiln, for ada
//   npm run book -- --store aurora --sku aurora-2026-12-07-1000 --user bob --quantity 1 --key my-key
//   npm run book -- --gateway host:7011 --token-file FILE      another mesh, as whoever the token names
//
// It stands in line when it is told to, and sends the same request again while nobody can tell what became of it: with
// the same --key that is the same order, however often it runs. The exit code is 0 for a yes, 1 for a no, 2 otherwise.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { connectHoldfast, Fault, type ReserveOutcome, type Waiting } from '#libs/client/index.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { MESH_DIRECTORY, readMeshFile } from '#libs/mesh/mesh-file.js';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'kiln' },
    sku: { type: 'string', default: 'kiln-mug' },
    user: { type: 'string', default: 'ada' },
    quantity: { type: 'string', default: '1' },
    key: { type: 'string' },
    gateway: { type: 'string' },
    'token-file': { type: 'string' },
  },
});

const target = values.gateway ?? readMeshFile(MESH_DIRECTORY)?.gateway;
if (target === undefined) {
  console.error('No mesh runs here: npm start, or name a gateway with --gateway host:port');
  process.exit(2);
}

const holdfast = connectHoldfast(target, { token: tokenOf(values['token-file']) });
try {
  const outcome = await holdfast.reserve(
    {
      storeId: values.store,
      lines: [{ skuId: values.sku, quantity: Number(values.quantity) }],
      ...(values.key !== undefined && { requestId: values.key }),
    },
    { deadlineMs: 120_000, onWait: tell },
  );
  console.log(sentenceOf(outcome));
  process.exitCode = outcome.kind === 'HELD' ? 0 : outcome.kind === 'REFUSED' ? 1 : 2;
} catch (error) {
  // What no repetition mends: a wrong request, an unknown sku, a key that was used for something else.
  const said =
    error instanceof Fault ? error.violations.map(({ field, description }) => `; ${field} ${description}`) : [];
  console.error(`${error instanceof Error ? error.message : error}${said.join('')}`);
  process.exitCode = 2;
} finally {
  holdfast.close();
}

/** That of the file, else one that is issued here for the mesh on this machine. */
function tokenOf(file: string | undefined): string {
  if (file !== undefined) return readFileSync(file, 'utf8').trim();
  const identity = readMeshFile(MESH_DIRECTORY)?.identity;
  if (identity !== undefined) return localTokens(identity)(values.user);
  console.error('Say who you are with --token-file FILE: no mesh that issues tokens runs here');
  process.exit(2);
}

function tell(waiting: Waiting): void {
  const what = waiting.why === 'QUEUED' ? `${waiting.peopleAhead} people ahead` : waiting.fault.message;
  console.log(`${what}: again in ${Math.ceil(waiting.waitMs)} ms`);
}

function sentenceOf(outcome: ReserveOutcome): string {
  switch (outcome.kind) {
    case 'HELD':
      return `Yes: order ${outcome.order.orderId}, to be paid until ${outcome.order.expiresAt?.toISOString() ?? 'never'}`;
    case 'REFUSED':
      return `No: ${outcome.reason}`;
    case 'PENDING':
      return `Soon: order ${outcome.orderId} is being decided`;
    case 'QUEUED':
      return `Still ${outcome.peopleAhead} people ahead; --key ${outcome.requestId} keeps the place`;
    case 'WAITLISTED':
      return `Sold out: ${outcome.peopleAhead} people wait before ${values.user}; --key ${outcome.requestId} tells how it is`;
    case 'UNDECIDED':
      return `Nobody could tell: ${outcome.fault.message}; ask again with --key ${outcome.requestId}`;
  }
}
