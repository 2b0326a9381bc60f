import {
  type ConsumerInfo,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import { isOlder, minimumServerVersions } from '#libs/runtime/versions.js';

/** What a stream must be. Always on disk, and a full one refuses new messages instead of dropping unread ones. */
export interface StreamSpec {
  readonly name: string;
  readonly subjects: readonly string[];
  /** `workqueue`: a message goes when it is acknowledged. `limits`: it stays until a limit takes it. */
  readonly retention: 'workqueue' | 'limits';
  readonly maxBytes?: number;
  readonly maxMessages?: number;
  readonly maxAgeMs?: number;
  readonly replicas: number;
  /** A second message with the same id within this time is not stored. */
  readonly duplicateWindowMs: number;
}

/** How long the server may take over one request about streams and consumers. */
const API_TIMEOUT_MS = 1_500;

/** The server's administration of streams and consumers. */
export function manager(client: NatsConnection): Promise<JetStreamManager> {
  return client.jetstreamManager({ checkAPI: false, timeout: API_TIMEOUT_MS });
}

/**
 * Creates the stream, or brings an existing one to its spec. Idempotent, whoever else does the same. Rejects, with both
 * values, when an existing one differs in what cannot be changed.
 */
export async function ensureStream(client: NatsConnection, spec: StreamSpec): Promise<StreamInfo> {
  refuseOldServer(client);
  const { streams } = await manager(client);
  const wanted = configOf(spec);
  const existing = await streams.info(spec.name).catch(undefinedIfMissing);
  if (!existing) return await streams.add(wanted);
  if (differences(existing.config, wanted).length === 0) return existing;

  const updated = await streams.update(spec.name, wanted).catch((error: unknown) => {
    throw new Error(notAsWanted(spec, existing.config, wanted), { cause: error });
  });
  // What cannot change is ignored by some servers instead of refused.
  if (differences(updated.config, wanted).length > 0) throw new Error(notAsWanted(spec, updated.config, wanted));
  return updated;
}

/**
 * Removes from a work queue what its one consumer has acknowledged, as it said before. A server that was killed may keep
 * the acknowledgement and forget that its message went, or take one from before and leave the message: nobody is ever
 * given it again, and it stays the oldest one for ever.
 */
export async function dropAcknowledged(
  client: NatsConnection,
  { name, retention }: StreamSpec,
  { ack_floor: { stream_seq: floor } }: ConsumerInfo,
): Promise<void> {
  if (retention !== 'workqueue') return;
  const { streams } = await manager(client);
  const { messages, first_seq, last_seq } = (await streams.info(name)).state;
  // A floor beyond the last message is of an earlier life of the stream, and says nothing about this one.
  if (messages === 0 || floor < first_seq || floor > last_seq) return;
  await streams.purge(name, { seq: floor + 1 });
}

/** When the stream stored the oldest message that it still has; undefined when it is empty. */
export async function oldestStoredAt(client: NatsConnection, name: string): Promise<Date | undefined> {
  const { streams } = await manager(client);
  const { state } = await streams.info(name);
  return state.messages === 0 ? undefined : new Date(state.first_ts);
}

/** How many messages a stream has. */
export async function messagesIn(client: NatsConnection, name: string): Promise<number> {
  const { streams } = await manager(client);
  return (await streams.info(name)).state.messages;
}

/** For `catch`: what does not exist is undefined, anything else is thrown on. */
function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

type PinnedConfig = Pick<
  StreamConfig,
  | 'name'
  | 'subjects'
  | 'retention'
  | 'storage'
  | 'discard'
  | 'max_bytes'
  | 'max_msgs'
  | 'max_age'
  | 'num_replicas'
  | 'duplicate_window'
>;

function configOf(spec: StreamSpec): PinnedConfig {
  return {
    name: spec.name,
    subjects: [...spec.subjects],
    retention: spec.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: spec.maxBytes ?? -1,
    max_msgs: spec.maxMessages ?? -1,
    max_age: nanos(spec.maxAgeMs ?? 0),
    num_replicas: spec.replicas,
    duplicate_window: nanos(spec.duplicateWindowMs),
  };
}

/** `storage is memory, must be file`: one for each setting that is not as wanted. */
function differences(actual: StreamConfig, wanted: PinnedConfig): string[] {
  return Object.entries(wanted)
    .map(([setting, value]) => [setting, JSON.stringify(actual[setting as keyof PinnedConfig]), JSON.stringify(value)])
    .filter(([, have, want]) => have !== want)
    .map(([setting, have, want]) => `${setting} is ${have}, must be ${want}`);
}

function notAsWanted(spec: StreamSpec, actual: StreamConfig, wanted: PinnedConfig): string {
  return `stream ${spec.name} cannot be used: ${differences(actual, wanted).join('; ')}`;
}

function refuseOldServer(client: NatsConnection): void {
  const version = client.info?.version ?? '0';
  if (isOlder(version, minimumServerVersions.nats)) {
    throw new Error(`NATS ${version} is too old: at least ${minimumServerVersions.nats} is needed`);
  }
}
