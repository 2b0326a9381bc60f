import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, experimental } from '@grpc/grpc-js';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { type Authority, createAuthority } from '#libs/identity/authority.js';
import { faultOf } from '#libs/refusal/fault.js';
import { assert, suite } from '#libs/testing/suite.js';
import { until } from '#libs/testing/until.js';
import { connect } from './client.js';
import { startServer } from './server.js';
import { hold, holdsCaller, silentLogger, standIn } from './stand-in.js';
import type { Target } from './target.js';
import { onlyFrom, type Tls, tlsBy } from './tls.js';
import { TlsFiles } from './tls-files.js';

const test = suite('TLS between services');
const lookEveryMs = 20;

let root: string;
let authority: Authority;
const closers: (() => unknown)[] = [];

test.before(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-tls-'));
  authority = await createAuthority();
});
test.after.each(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
test.after(() => rmSync(root, { recursive: true }));

/** Files of a service in a folder of their own: from the authority of the mesh unless another is named. */
interface Wish {
  by?: Authority;
  days?: number;
  /** Whom it trusts: the authority that certifies it, unless others are named. */
  ca?: string;
}

async function filesOf(service: string, wish: Wish = {}): Promise<string> {
  const directory = mkdtempSync(join(root, `${service}-`));
  await write(directory, service, wish);
  return directory;
}

async function write(directory: string, service: string, { by = authority, days = 90, ca }: Wish): Promise<void> {
  const { cert, key } = await by.issue(service, days);
  // The certificate last: whoever sees it sees the rest as well.
  writeFileSync(join(directory, 'ca.pem'), ca ?? by.cert);
  writeFileSync(join(directory, 'key.pem'), key);
  writeFileSync(join(directory, 'cert.pem'), cert);
}

function opened(directory: string): Tls & { files: TlsFiles } {
  const files = new TlsFiles({ directory, logger: silentLogger, lookEveryMs });
  closers.push(() => files.close());
  return { ...tlsBy(files), files };
}

/** An inventory that lets the gateway in; its address, and what may be asked of it. */
async function serve(directory: string): Promise<{ address: string; tls: Tls & { files: TlsFiles } }> {
  const tls = opened(directory);
  const services = [standIn({ getSku: async () => ({ sku: undefined, availability: undefined }) })];
  const options = { address: '127.0.0.1:0', credentials: tls.server, ...onlyFrom(tls, ['gateway']) };
  const server = await startServer({ ...options, services, logger: silentLogger, drainMs: 500 });
  server.serving(true);
  closers.push(() => server.drain());
  return { address: server.address, tls };
}

/** `answered`, or the reason of the fault. */
async function ask(target: Target, deadlineMs = 1_000): Promise<string> {
  const client = connect(InventoryServiceDefinition, target, { defaultDeadlineMs: deadlineMs });
  try {
    await client.getSku({ skuId: 'x' });
    return 'answered';
  } catch (error) {
    return faultOf(error).reason;
  } finally {
    client.close();
  }
}

test('a service that may call is answered, by calls and by streams; one that may not is told so', async () => {
  const { address } = await serve(await filesOf('inventory'));
  const gateway = opened(await filesOf('gateway')).to('inventory', address);
  assert.is(await ask(gateway), 'answered');
  const stream = holdsCaller(gateway);
  closers.push(() => stream.close());
  assert.is((await stream.call(hold('order-1'), 2_000)).outcome?.$case, 'pending');
  assert.is(await ask(opened(await filesOf('bff')).to('inventory', address)), 'PERMISSION_DENIED');
});

test('nobody without a certificate of the authority gets an answer', async () => {
  const { address } = await serve(await filesOf('inventory'));
  const stranger = await createAuthority();
  const own = opened(await filesOf('gateway', { by: stranger })).files;
  const trusting = new TlsFiles({ directory: await filesOf('gateway'), logger: silentLogger });
  closers.push(() => trusting.close());
  const verify = { checkServerIdentity: () => undefined };
  const foreign = experimental.createCertificateProviderChannelCredentials(trusting, own, verify);
  const nameless = credentials.createSsl(Buffer.from(authority.cert), null, null, verify);
  assert.is(await ask(address), 'UNAVAILABLE', 'plain');
  assert.is(await ask({ addresses: address, credentials: nameless }), 'UNAVAILABLE', 'without a certificate');
  assert.is(await ask({ addresses: address, credentials: foreign }), 'UNAVAILABLE', 'of another authority');
  const over = opened(await filesOf('gateway', { days: -1 }));
  assert.is(await ask(over.to('inventory', address)), 'UNAVAILABLE', 'past its end');
  assert.is(await ask(opened(await filesOf('gateway')).to('inventory', address)), 'answered');
});

test('who answers in place of the service that is called is not believed', async () => {
  const { address } = await serve(await filesOf('order'));
  assert.is(await ask(opened(await filesOf('gateway')).to('inventory', address)), 'UNAVAILABLE');
});

test('new certificates hold for new connections, of servers and of clients, and no call fails meanwhile', async () => {
  const [inventory, gateway] = [await filesOf('inventory'), await filesOf('gateway')];
  const { address, tls } = await serve(inventory);
  const caller = opened(gateway);
  const successor = await createAuthority();
  let calling = true;
  const answers = (async () => {
    const said = new Set<string>();
    while (calling) said.add(await ask(caller.to('inventory', address)));
    return said;
  })();
  const both = `${authority.cert}${successor.cert}`;
  const before = [tls.files.notAfter.getTime(), caller.files.notAfter.getTime()];
  closers.push(() => {
    calling = false;
  });
  // First everybody trusts both, then they are certified by the new one, then the old one goes.
  for (const step of [
    { by: authority, ca: both, days: 80 },
    { by: successor, ca: both, days: 70 },
    { by: successor, ca: successor.cert, days: 60 },
  ]) {
    await write(inventory, 'inventory', step);
    await write(gateway, 'gateway', step);
    const end = Date.now() + (step.days + 1) * 86_400_000;
    await until(() => tls.files.notAfter.getTime() < end && caller.files.notAfter.getTime() < end);
  }
  calling = false;
  assert.equal([...(await answers)], ['answered']);
  assert.ok(tls.files.notAfter.getTime() < Math.min(...before));
  assert.is(await ask(opened(await filesOf('gateway')).to('inventory', address)), 'UNAVAILABLE', 'the old authority');
});

test('files that do not fit together change nothing until they do', async () => {
  const inventory = await filesOf('inventory');
  const { address, tls } = await serve(inventory);
  const gateway = opened(await filesOf('gateway')).to('inventory', address);
  const { notAfter } = tls.files;
  const next = await filesOf('inventory', { days: 30 });
  writeFileSync(join(inventory, 'cert.pem'), 'half of a cert');
  assert.is(await ask(gateway), 'answered');
  cpSync(join(next, 'cert.pem'), join(inventory, 'cert.pem'));
  assert.is(await ask(gateway), 'answered', 'a certificate whose key is not there yet');
  assert.equal(tls.files.notAfter, notAfter);
  cpSync(join(next, 'key.pem'), join(inventory, 'key.pem'));
  await until(() => tls.files.notAfter < notAfter);
  assert.is(await ask(gateway), 'answered');
});

test('files of a folder that a link is turned to hold as well', async () => {
  const link = join(root, 'turned');
  symlinkSync(await filesOf('inventory'), link);
  const { files } = opened(link);
  for (const days of [60, 30]) {
    const { notAfter } = files;
    symlinkSync(await filesOf('inventory', { days }), `${link}-next`);
    renameSync(`${link}-next`, link);
    await until(() => files.notAfter < notAfter);
  }
});

test('a service does not start on files that cannot be used', async () => {
  const [one, other] = [await filesOf('inventory'), await filesOf('inventory')];
  cpSync(join(other, 'key.pem'), join(one, 'key.pem'));
  assert.throws(() => opened(one), /do not fit together/);
  assert.throws(() => opened(join(root, 'nowhere')), /ENOENT/);
});

test.run();
