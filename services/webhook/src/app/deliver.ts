import type { Ledger } from '#libs/ledger/ledger.js';
import type { ClaimedWebhook } from '#libs/ledger/webhooks.js';
import { signWebhook } from '#libs/webhook/signature.js';
import { type Answer, judge, type Verdict } from '../domain/outcome.js';

/** One request as it leaves. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Sends a request; never rejects. */
export type Send = (request: WebhookRequest) => Promise<Answer>;

export interface DeliverPorts {
  readonly ledger: Pick<Ledger, 'webhookRecord'>;
  readonly send: Send;
  readonly disableAfterMs: number;
  readonly now: () => Date;
  readonly random: () => number;
}

/**
 * Sends a claimed event and notes how that ended. If it dies before the note, the lease ends and the same event goes out
 * again under the same id. Resolves what was noted; undefined: the lease was another's by then. Rejects as the ledger does.
 */
export async function deliver(ports: DeliverPorts, claimed: ClaimedWebhook): Promise<Verdict['outcome'] | undefined> {
  const { ledger, send, disableAfterMs, now, random } = ports;
  const { eventId: id, payload: body } = claimed;
  const answer = await send(requestOf(claimed.url, claimed.secrets, { id, at: now(), body }));
  const { outcome, nextInMs } = judge(answer, claimed.attempts, random());
  const { status, error } = answer;
  const state = await ledger.webhookRecord(claimed, { outcome, status, error, nextInMs, disableAfterMs });
  return state === undefined ? undefined : outcome;
}

/** The request for an event, signed with each of the secrets. */
export function requestOf(
  url: string,
  secrets: readonly string[],
  event: { id: string; at: Date; body: string },
): WebhookRequest {
  const signed = secrets.map((secret) => signWebhook(secret, event));
  const headers = {
    ...signed[0],
    'webhook-signature': signed.map((each) => each['webhook-signature']).join(' '),
    'content-type': 'application/json',
    'user-agent': 'Holdfast-Webhooks/1',
  };
  return { url, headers, body: event.body };
}
