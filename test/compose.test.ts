import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { nodeFlags } from '#libs/runtime/node-flags.js';
import { isOlder, minimumServerVersions } from '#libs/runtime/versions.js';
import { assert, suite } from '#libs/testing/suite.js';
import { isWebhookSecret } from '#libs/webhook/signature.js';
import { withSandbox } from '../deploy/local/sandbox-plan.js';
import { DEFAULT_PORTS, type ProgramName, planProcesses, SERVICE_NAMES } from '../deploy/local/topology.js';

// Containers cannot be started where these tests run: what is compared is what the files say.
const test = suite('compose');

interface ComposeService {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }> | string[];
  healthcheck?: { test?: string[] };
}

const root = new URL('../../', import.meta.url);
const dockerfile = readFileSync(new URL('deploy/docker/Dockerfile', root), 'utf8');
const { services } = parse(readFileSync(new URL('docker-compose.yml', root), 'utf8'), { merge: true }) as {
  services: Record<string, ComposeService>;
};
const PROGRAMS = [...SERVICE_NAMES, 'sandbox'] as const;
const SERVERS = ['postgres', 'redis', 'nats'] as const;

function composed(name: string): ComposeService {
  const service = services[name];
  if (!service) throw new Error(`docker-compose.yml has no ${name}`);
  return service;
}

/** What deploy/local gives each program, with the hosts and ports that containers have. */
function localSettings(program: ProgramName): Record<string, string> {
  const plans = planProcesses({
    scale: {},
    env: {},
    requestIdSecret: 'secret',
    identity: {
      reads: { TOKEN_ISSUER: 'i', TOKEN_AUDIENCE: 'a', TOKEN_KEYS: 'k' },
      speaks: { SERVICE_TOKEN_PATH: 'p' },
    },
    servers: { postgres: 'postgres', redis: 'redis', nats: 'nats' },
    nextPort: () => 1,
  });
  const ports = { http: 1, admin: 1 };
  const all = withSandbox({ secrets: { key: 'key', notice: 'secret' }, plans, ports });
  return all.find((plan) => plan.service === program)?.env ?? {};
}

const portOf = (address = ''): string => address.split(':').at(-1) ?? '';

test('the same programs as on one machine, the servers under them, and the migration before them', () => {
  assert.equal(Object.keys(services).sort(), [...PROGRAMS, ...SERVERS, 'migrate'].sort());
});

test('every service runs its own program and gets the settings that it gets on one machine', () => {
  for (const name of PROGRAMS) {
    const { command, environment = {} } = composed(name);
    assert.equal(command, [name === 'sandbox' ? 'dist/deploy/sandbox/main.js' : `dist/services/${name}/src/main.js`]);
    // A container's name tells instances apart; processes of one machine are told.
    const { INSTANCE: _instance, ...settings } = localSettings(name);
    assert.equal(Object.keys(environment).sort(), Object.keys(settings).sort(), name);
  }
});

test('a container starts Node as one machine does', () => {
  assert.ok(dockerfile.includes(`\nENTRYPOINT ${JSON.stringify(['node', ...nodeFlags]).replaceAll(',', ', ')}\n`));
});

test('every program that a container runs is built', () => {
  for (const name of [...PROGRAMS, 'migrate']) {
    const [program = ''] = composed(name).command ?? [];
    assert.ok(existsSync(new URL(program, root)), program);
  }
});

test('targets name the service and the port on which it listens', () => {
  for (const name of SERVICE_NAMES) {
    for (const [setting, value] of Object.entries(composed(name).environment ?? {})) {
      const called = /^(\w+)_TARGET$/.exec(setting)?.[1]?.toLowerCase();
      if (called === undefined) continue;
      assert.is(value, `dns:${called}:${portOf(composed(called).environment?.GRPC_ADDRESS)}`);
    }
  }
});

test('server URLs name the server and its port', () => {
  const wanted = { DATABASE_URL: '@postgres:5432/', REDIS_URL: '//redis:6379', NATS_URL: '//nats:4222' };
  for (const name of SERVICE_NAMES) {
    for (const [setting, part] of Object.entries(wanted)) {
      const url = composed(name).environment?.[setting];
      if (url !== undefined) assert.match(url, part);
    }
  }
});

test('the HTTP edge and the gateway are published where npm start puts them, the page of the sandbox, and nothing else', () => {
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
  const { http, gateway } = DEFAULT_PORTS;
  assert.equal(published, [
    ['gateway', `127.0.0.1:${gateway}:${portOf(composed('gateway').environment?.GRPC_ADDRESS)}`],
    ['bff', `127.0.0.1:${http}:${portOf(composed('bff').environment?.HTTP_ADDRESS)}`],
    ['sandbox', `127.0.0.1:8090:${portOf(composed('sandbox').environment?.HTTP_ADDRESS)}`],
  ]);
});

test('servers are as durable as private ones, and Redis evicts nothing', () => {
  const words = (name: string): string => composed(name).command?.join(' ') ?? '';
  assert.match(words('postgres'), 'synchronous_commit=on');
  assert.not.match(words('postgres'), 'fsync');
  assert.match(words('redis'), '--appendonly yes');
  assert.match(words('redis'), '--maxmemory-policy noeviction');
  assert.match(words('nats'), '--jetstream');
});

test('images are pinned to a full version that is new enough', () => {
  for (const name of SERVERS) {
    const version = new RegExp(`^${name}:(\\d+(?:\\.\\d+)+)`).exec(composed(name).image ?? '')?.[1];
    assert.ok(version, `${composed(name).image} names a full version`);
    assert.not(isOlder(version, minimumServerVersions[name]));
  }
  const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { engines: { node: string } };
  const bases = [...dockerfile.matchAll(/^FROM node:(\d+\.\d+\.\d+)-/gm)].map(([, version = '']) => version);
  assert.is(bases.length, [...dockerfile.matchAll(/^FROM /gm)].length);
  assert.is(new Set(bases).size, 1);
  assert.not(isOlder(bases[0] ?? '', engines.node.replace(/[^\d.]/g, '')));
});

test('the sandbox, the order service and the bff know each other, and customers reach the page', () => {
  const [order, bff, sandbox] = (['order', 'bff', 'sandbox'] as const).map((name) => composed(name).environment ?? {});
  const port = portOf(sandbox?.HTTP_ADDRESS);
  assert.is(order?.PAYMENT_PROVIDER_URL, `http://sandbox:${port}`);
  assert.is(order?.PAYMENT_PROVIDER_KEY, sandbox?.PAYMENT_PROVIDER_KEY);
  assert.ok(isWebhookSecret(sandbox?.PAYMENT_NOTICE_SECRET ?? ''));
  assert.is(bff?.PAYMENT_NOTICE_SECRETS, `sandbox=${sandbox?.PAYMENT_NOTICE_SECRET}`);
  assert.is(sandbox?.PAYMENT_NOTICE_URL, `http://bff:${portOf(bff?.HTTP_ADDRESS)}/v1/payments/notices/sandbox`);
  assert.is(sandbox?.CHECKOUT_URL, `http://127.0.0.1:${port}`);
});

test('everything that runs on is probed, and services wait for servers that answer and for the migration', () => {
  for (const name of [...SERVERS, ...PROGRAMS]) assert.ok(composed(name).healthcheck?.test, `${name} is probed`);
  const healthy = { condition: 'service_healthy' };
  for (const name of ['inventory', 'order', 'scheduler']) {
    const migrated = { condition: 'service_completed_successfully' };
    assert.equal(composed(name).depends_on, { migrate: migrated, postgres: healthy, redis: healthy, nats: healthy });
  }
  assert.equal(composed('migrate').depends_on, { postgres: healthy });
});

test('containers do not run as root', () => {
  assert.match(dockerfile, /^USER node$/m);
});

test.run();
