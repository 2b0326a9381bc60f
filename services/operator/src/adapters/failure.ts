import { type Fault, type FaultReason, faultOf } from '#libs/refusal/fault.js';
import type { NotApplied } from '../app/apply-limits.js';
import type { GatewayAddress } from './gateway-address.js';
import { UsageError } from './usage-error.js';

/** What the process ends with. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;

/** Why a command failed: for people line by line, for programs by its reason. */
export interface Failure {
  exitCode: number;
  reason: string;
  /** What went wrong. */
  problems: readonly string[];
  /** What to do next; may be empty. */
  advice: string;
}

/** Some of many changes were refused; the others were made. */
export class NotAllApplied extends Error {
  override readonly name = 'NotAllApplied';

  constructor(readonly failed: readonly NotApplied[]) {
    super(`${failed.length} changes were refused`);
  }
}

/** The command was carried out, and what came of it is no good: exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  /** `problems` one line each; `advice` says what to do next, and may be empty. */
  constructor(
    readonly reason: string,
    readonly problems: readonly string[],
    readonly advice = '',
  ) {
    super(problems.join('\n'));
  }
}

/** The failure that was thrown. `gateway` is absent when nothing had been asked of it yet. */
export function failureOf(thrown: unknown, gateway: GatewayAddress | undefined, help: string): Failure {
  if (thrown instanceof UsageError) {
    return {
      exitCode: exitCodes.usage,
      reason: 'USAGE',
      problems: thrown.problems,
      advice: thrown.advice ?? `see npx --no-install ${help}`,
    };
  }
  if (thrown instanceof CommandFailed) {
    const { reason, problems, advice } = thrown;
    return { exitCode: exitCodes.failed, reason, problems, advice };
  }
  if (thrown instanceof NotAllApplied) return notAllApplied(thrown);
  const fault = faultOf(thrown);
  if (fault.reason === 'UNAVAILABLE' || fault.reason === 'TOO_LATE') return unreachable(fault, gateway);
  const own = fault.reason === 'INTERNAL' && fault.cause instanceof Error ? fault.cause.message : fault.message;
  const problems =
    fault.violations.length > 0 ? fault.violations.map(({ field, description }) => `${field} ${description}`) : [own];
  return { exitCode: exitCodes.failed, reason: fault.reason, problems, advice: adviceFor(fault) };
}

function notAllApplied({ failed }: NotAllApplied): Failure {
  const problems = failed.map(
    ({ change, fault }) => `not set: ${change.skuId ?? 'all skus'} of store ${change.storeId}: ${fault.message}`,
  );
  return { exitCode: exitCodes.failed, reason: 'NOT_ALL_APPLIED', problems, advice: 'the others were set' };
}

function unreachable(fault: Fault, gateway: GatewayAddress | undefined): Failure {
  const { exitCode, reason } = { exitCode: exitCodes.unreachable, reason: fault.reason };
  const place = `${gateway?.address} (${gateway?.from})`;
  // A gateway that answers tells in its own words; what the transport found has a cause.
  if (fault.reason === 'UNAVAILABLE' && fault.cause === undefined) {
    const problems = [`the gateway at ${place} answers, but a part behind it is away: ${fault.message}`];
    return { exitCode, reason, problems, advice: 'try again in some seconds; its log says which part is away' };
  }
  if (fault.reason === 'TOO_LATE') {
    const problems = [`the gateway at ${place} did not answer in time`];
    return {
      exitCode,
      reason,
      problems,
      advice: 'a change may have been made all the same: look before you try again',
    };
  }
  const advice = 'start a mesh with npm start, or name a gateway with --gateway host:port or HOLDFAST_GATEWAY';
  return { exitCode, reason, problems: [`no gateway answers at ${place}`], advice };
}

const adviceByReason: Partial<Record<FaultReason, string>> = {
  PERMISSION_DENIED: 'this gateway does not take you for an operator',
  TOKEN_MISSING:
    'say who you are: HOLDFAST_TOKEN or --token-file FILE; --as NAME is enough for the mesh on this machine',
  TOKEN_EXPIRED: 'get a new token from whoever issues them',
  TOKEN_INVALID: 'get a token from the issuer that this gateway believes',
  SKU_NOT_FOUND: 'sku ids are told apart by case; limits show --store lists those of a store',
  ORDER_NOT_FOUND: 'holdfast explain user USER --sku SKU finds the orders of a person',
  JOB_NOT_FOUND: 'holdfast jobs list has them all',
  WEBHOOK_ENDPOINT_NOT_FOUND: 'holdfast webhook list has them all',
  PLAN_NOT_FOUND: 'holdfast reconcile plans has the newest',
  PLAN_STALE: 'nothing was changed; holdfast reconcile plan looks again',
  ALERT_NOT_FOUND: 'holdfast alerts --all has them all',
  DEAD_LETTER_NOT_FOUND: 'holdfast dead-letters list --all has them all',
  DEAD_LETTER_RESOLVED: 'nothing was changed; holdfast dead-letters show tells who did, and what',
  RATE_LIMITED: 'try again in a second',
  BUSY: 'try again in a second',
};

function adviceFor({ reason, metadata }: Fault): string {
  if (reason === 'INTERNAL' && metadata.fault_id !== undefined)
    return `its log has the cause under ${metadata.fault_id}`;
  return adviceByReason[reason] ?? '';
}
