import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessPlan } from './topology.js';

/** What a mesh and its payment sandbox know each other by. */
export interface SandboxSecrets {
  /** Shown by the order service to the sandbox. */
  key: string;
  /** Signs what the sandbox tells the bff. */
  notice: string;
}

const FILE = 'sandbox.json';

/** The secrets of that directory, drawn when it has none: what was under way when a mesh ended is believed by the next one. */
export function sandboxSecrets(directory: string): SandboxSecrets {
  const file = join(directory, FILE);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SandboxSecrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secrets: SandboxSecrets = {
    key: randomBytes(24).toString('base64url'),
    notice: `whsec_${randomBytes(32).toString('base64')}`,
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${JSON.stringify(secrets)}\n`, { mode: 0o600 });
  return secrets;
}

export interface SandboxPlanOptions {
  secrets: SandboxSecrets;
  /** Of the mesh that it is added to. */
  plans: ProcessPlan[];
  ports: { http: number; admin: number };
}

/** The plans of a mesh with a sandbox beside them, and with the settings by which order service and bff know it. */
export function withSandbox({ secrets, plans, ports }: SandboxPlanOptions): ProcessPlan[] {
  const http = `127.0.0.1:${ports.http}`;
  const admin = `127.0.0.1:${ports.admin}`;
  const known: Partial<Record<ProcessPlan['service'], Record<string, string>>> = {
    order: { PAYMENT_PROVIDER_URL: `http://${http}`, PAYMENT_PROVIDER_KEY: secrets.key },
    bff: { PAYMENT_NOTICE_SECRETS: `sandbox=${secrets.notice}` },
  };
  const bff = plans.find(({ service }) => service === 'bff')?.http ?? '';
  const sandbox: ProcessPlan = {
    ...{ service: 'sandbox', index: 0, name: 'sandbox-1', http, admin },
    program: fileURLToPath(new URL('../sandbox/main.js', import.meta.url)),
    env: {
      HTTP_ADDRESS: http,
      CHECKOUT_URL: `http://${http}`,
      ADMIN_ADDRESS: admin,
      PAYMENT_PROVIDER_KEY: secrets.key,
      PAYMENT_NOTICE_SECRET: secrets.notice,
      PAYMENT_NOTICE_URL: `http://${bff}/v1/payments/notices/sandbox`,
    },
  };
  return [...plans.map((plan) => ({ ...plan, env: { ...plan.env, ...known[plan.service] } })), sandbox];
}
