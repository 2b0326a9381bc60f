import type { Benchmark } from './frame/benchmark.js';
import { consumerDrain } from './p5-consumer-drain.js';
import { wholePath } from './p13-whole-path.js';

/** All benchmarks, in the order in which `all` runs them. */
export const benchmarks: readonly Benchmark[] = [consumerDrain, wholePath];
