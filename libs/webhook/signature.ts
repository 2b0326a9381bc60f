import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature covers besides the body, and the signature: the three headers of Standard Webhooks 1.0. */
export interface WebhookHeaders {
  'webhook-id': string;
  /** Seconds since 1970. */
  'webhook-timestamp': string;
  /** `v1,<base64>`, several of them with spaces between while a secret is replaced. */
  'webhook-signature': string;
}

/** A webhook as it came; a header that is missing is undefined. */
export interface ReceivedWebhook {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** The bytes that came, before anything read them. */
  readonly body: Uint8Array;
}

/** Why a webhook is not believed. */
export type Disbelief = 'UNSIGNED' | 'SIGNATURE_WRONG' | 'TIMESTAMP_FAR';

const toleranceSeconds = 300;
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
const timestampForm = /^[0-9]{1,12}$/;
const secretPrefix = 'whsec_';

/** Signs a webhook. `secret` is `whsec_` and base64. */
export function signWebhook(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string | Uint8Array },
): WebhookHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = `v1,${macOf(secret, `${id}.${timestamp}.`, body).toString('base64')}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/**
 * Undefined when one of the signatures is that of one of the secrets and the timestamp lies within five minutes of `now`;
 * else why it is not believed. Every signature is compared with every secret, each in constant time.
 */
export function disbelief(secrets: readonly string[], webhook: ReceivedWebhook, now: Date): Disbelief | undefined {
  const { id = '', timestamp = '', signature = '', body } = webhook;
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return 'UNSIGNED';
  const given = signature
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));
  if (given.length === 0) return 'UNSIGNED';
  const right = secrets.map((secret) => macOf(secret, `${id}.${timestamp}.`, body));
  const matches = given.flatMap((one) => right.map((mac) => one.length === mac.length && timingSafeEqual(one, mac)));
  if (!matches.includes(true)) return 'SIGNATURE_WRONG';
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds ? 'TIMESTAMP_FAR' : undefined;
}

/** Whether a text is a secret that signatures can be made with. */
export function isWebhookSecret(text: string): boolean {
  return text.startsWith(secretPrefix) && keyOf(text).length >= 24;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}

function macOf(secret: string, head: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', keyOf(secret)).update(head).update(body).digest();
}
