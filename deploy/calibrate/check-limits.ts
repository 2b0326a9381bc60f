import type { LimitsFile } from '#libs/mesh/limits-file.js';
import { driveStreams } from '../../bench/drivers/drive.js';
import { importSkus } from '../local/import-skus.js';
import { noRateLimit } from './path-meter.js';
import { withPrivateMesh } from './private-mesh.js';

const storeId = 'calibrate';
const skuId = 'checked';
const deadlineMs = 5_000;
const warmUpMs = 2_000;
const checkedMs = 10_000;
const windowMs = 1_000;
/** Of the reservations, so many may be turned away without the promise being broken. */
const mayBeTurnedAway = 0.001;
/** A driver that is so busy cannot keep to its times: what was measured is the driver. */
const busyDriver = 0.9;

/** What a mesh with these limits did at the rate that was predicted. */
export interface Checked {
  per_second: number;
  sent: number;
  outcomes: Record<string, number>;
  p50_ms: number;
  p99_ms: number;
  predicted_p99_ms: number;
  /** CPU time of the driver by duration. */
  driver_busy_share: number;
  holds: boolean;
  /** Why it does not hold, or is not to be trusted; empty when all is well. */
  remarks: string[];
}

/** Starts a mesh with the limits and sends it reservations of one sku in an open loop, at the rate that was predicted. */
export function checkLimits(limits: LimitsFile, report: (line: string) => void): Promise<Checked> {
  const { per_second: perSecond } = limits.predicted;
  const phases = [
    { perSecond: Math.ceil(perSecond / 4), ms: warmUpMs },
    { perSecond: Math.ceil(perSecond / 2), ms: warmUpMs },
    { perSecond, ms: checkedMs },
  ];
  const capacity = phases.reduce((sum, phase) => sum + Math.ceil((phase.perSecond * phase.ms) / 1_000), 0);
  return withPrivateMesh({ limits, env: { LOG_LEVEL: 'warn' }, report }, async (mesh) => {
    const { services, gateway } = mesh.describe();
    const sku = { skuId, storeId, title: skuId, capacity, rateLimit: noRateLimit };
    await importSkus(services.inventory?.[0]?.grpc ?? '', [sku]);
    report(
      `sending ${perSecond} reservations a second for ${checkedMs / 1_000} s, after ${(2 * warmUpMs) / 1_000} s of fewer`,
    );
    const job = { addresses: [gateway], storeId, skuIds: [skuId], tag: 'check', deadlineMs };
    const { phases: stretches, busyShare } = await driveStreams({ ...job, load: { phases, windowMs } });
    const last = stretches.at(-1);
    const { sent = 0, outcomes = {}, servedP50Ms = 0, servedP99Ms = 0 } = last ?? {};
    return judge(limits, { sent, outcomes, p50Ms: servedP50Ms, p99Ms: servedP99Ms, busyShare });
  });
}

/** What became of the reservations of the ten seconds that count. */
export interface Seen {
  sent: number;
  outcomes: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  busyShare: number;
}

/** It holds when nearly everybody was served and 99 of 100 of them as fast as was predicted. */
export function judge({ predicted }: LimitsFile, { sent, outcomes, p50Ms, p99Ms, busyShare }: Seen): Checked {
  const served = (outcomes.HELD ?? 0) + (outcomes.PENDING ?? 0);
  const away = sent - served;
  const remarks = [
    ...(p99Ms > predicted.p99_ms ? [`99 of 100 took up to ${Math.round(p99Ms)} ms, not ${predicted.p99_ms} ms`] : []),
    ...(served === 0 || away > sent * mayBeTurnedAway ? [`${away} of ${sent} were not served`] : []),
  ];
  const holds = remarks.length === 0;
  if (busyShare > busyDriver) remarks.push('the driver had no time left: what was measured may be the driver');
  return {
    per_second: predicted.per_second,
    sent,
    outcomes,
    p50_ms: Math.round(p50Ms),
    p99_ms: Math.round(p99Ms),
    predicted_p99_ms: predicted.p99_ms,
    driver_busy_share: Math.round(busyShare * 100) / 100,
    holds,
    remarks,
  };
}
