import { capacity } from './capacity.js';
import type { Benchmark } from './frame/benchmark.js';
import type { Survey } from './frame/survey.js';
import { growth } from './growth/growth.js';
import { soldOutAgainstConstant, soldOutAgainstUnaryMesh } from './p1-sold-out.js';
import { gateAlone } from './p2-gate.js';
import { idleSkusBeside, spreadByZipf } from './p3-many-skus.js';
import { ordersAgainstMonolith, ordersAgainstUnaryMesh } from './p4-http-orders.js';
import { consumerDrain } from './p5-consumer-drain.js';
import { degraded } from './p6-degraded.js';
import { postgresPath } from './p6-postgres-path.js';
import { hotSkuRivals } from './p6-rivals.js';
import { expiry } from './p7-expiry.js';
import { expiryBesideSales } from './p7-lateness.js';
import { replays } from './p8-replays.js';
import { limiter } from './p9-limiter.js';
import { bytesInRedis } from './p10-redis-bytes.js';
import { overload } from './p11-overload.js';
import { batchedHop } from './p12-hops.js';
import { batchedPublish } from './p12-publishes.js';
import { wholePath } from './p13-whole-path.js';
import { degradeGap } from './p14-degrade-gap.js';
import { setUps } from './p15-set-ups.js';
import { waitlist } from './p16-waitlist.js';
import { waitlistJoins } from './p16-waitlist-joins.js';
import { reconcile } from './reconcile.js';
import { soak } from './soak.js';

/** All benchmarks, in the order in which they run: those that want no mesh, those that share one, and the others. */
export const benchmarks: readonly (Benchmark | Survey)[] = [
  gateAlone,
  batchedHop,
  batchedPublish,
  ...degraded,
  hotSkuRivals,
  expiry,
  waitlistJoins,
  consumerDrain,
  soldOutAgainstConstant,
  soldOutAgainstUnaryMesh,
  ordersAgainstMonolith,
  ordersAgainstUnaryMesh,
  postgresPath,
  bytesInRedis,
  spreadByZipf,
  idleSkusBeside,
  expiryBesideSales,
  replays,
  wholePath,
  overload,
  limiter,
  degradeGap,
  waitlist,
  reconcile,
  setUps,
  ...growth,
  soak,
  capacity,
];
