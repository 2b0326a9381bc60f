import { status as statusCode } from '@grpc/grpc-js';
import type { Metrics } from '#libs/runtime/metrics.js';

/** As much of the process's metrics as calls are counted with. */
export type RpcMetrics = Pick<Metrics, 'counter' | 'histogram'>;

/** Counts one ended call: its status code and how long it took. */
export type CallRecorder = (code: number, seconds: number) => void;

/** Counts one message of a batched stream. */
export type BatchRecorder = (items: number) => void;

/** Gives the recorder of a method, made once: looking labels up is not for every call. */
export function callRecorder(metrics: RpcMetrics | undefined, service: string, method: string): CallRecorder {
  if (metrics === undefined) return () => undefined;
  const requests = metrics.counter('rpc_requests_total', 'Calls answered, by status code.', [
    'service',
    'method',
    'code',
  ]);
  const duration = metrics.histogram('rpc_duration_seconds', 'From the arrival of a call to its status.', [
    'service',
    'method',
  ]);
  const observed = duration.labels({ service, method });
  const counted = new Map<number, { inc(): void }>();
  return (code, seconds) => {
    let counter = counted.get(code);
    if (counter === undefined) {
      counter = requests.labels({ service, method, code: statusCode[code] ?? String(code) });
      counted.set(code, counter);
    }
    counter.inc();
    observed.observe(seconds);
  };
}

/** Gives the recorder of a batched stream. `stream` names it and its direction. */
export function batchRecorder(metrics: RpcMetrics | undefined, stream: string): BatchRecorder {
  if (metrics === undefined) return () => undefined;
  const items = metrics
    .counter('batch_items_total', 'Items carried by batched streams.', ['stream'])
    .labels({ stream });
  const messages = metrics
    .counter('batch_messages_total', 'Messages that carried them.', ['stream'])
    .labels({ stream });
  return (count) => {
    items.inc(count);
    messages.inc();
  };
}
