import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { isWebhookSecret } from '#libs/webhook/signature.js';
import { readConfig } from '../sandbox/config.js';
import { sandboxSecrets, withSandbox } from './sandbox-plan.js';
import { planProcesses } from './topology.js';

const identity = {
  reads: { TOKEN_ISSUER: 'i', TOKEN_AUDIENCE: 'a', TOKEN_KEYS: 'k' },
  speaks: { SERVICE_TOKEN_PATH: 'p' },
};
const test = suite('sandbox plan');
const directory = mkdtempSync(join(tmpdir(), 'holdfast-sandbox-'));

test.after(() => rmSync(directory, { recursive: true }));

test('keeps the secrets of a directory, readable by their owner alone', () => {
  const secrets = sandboxSecrets(directory);
  assert.equal(sandboxSecrets(directory), secrets);
  assert.ok(isWebhookSecret(secrets.notice));
  assert.is(statSync(join(directory, 'sandbox.json')).mode & 0o077, 0);
});

test('gives the sandbox what it needs, and its secrets to nobody but those who use them', () => {
  const secrets = sandboxSecrets(directory);
  const servers = { postgres: 'postgres://x', redis: 'redis://x', nats: 'nats://x' };
  const services = planProcesses({
    scale: {},
    servers,
    env: {},
    requestIdSecret: 'secret',
    identity,
    nextPort: () => 8080,
  });
  const plans = withSandbox({ secrets, plans: services, ports: { http: 1, admin: 2 } });
  const envOf = (name: string) => plans.find(({ service }) => service === name)?.env ?? {};
  const config = readConfig(envOf('sandbox'));
  assert.is(config.noticeUrl, 'http://127.0.0.1:8080/v1/payments/notices/sandbox');
  assert.is(envOf('order').PAYMENT_PROVIDER_URL, `http://${config.httpAddress}`);
  assert.is(envOf('order').PAYMENT_PROVIDER_KEY, config.key);
  assert.is(envOf('bff').PAYMENT_NOTICE_SECRETS, `sandbox=${config.noticeSecret}`);
  for (const name of ['gateway', 'inventory', 'scheduler']) {
    assert.not.match(JSON.stringify(envOf(name)), secrets.key);
    assert.not.match(JSON.stringify(envOf(name)), secrets.notice);
  }
});

test.run();
