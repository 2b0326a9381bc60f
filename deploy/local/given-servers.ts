import type { ServerUrls } from './topology.js';

/** The servers that the environment names, to be used instead of private ones. */
export function givenServers(env: NodeJS.ProcessEnv): Partial<ServerUrls> {
  const { DATABASE_URL, REDIS_URL, NATS_URL } = env;
  return {
    ...(DATABASE_URL ? { postgres: DATABASE_URL } : {}),
    ...(REDIS_URL ? { redis: REDIS_URL } : {}),
    ...(NATS_URL ? { nats: NATS_URL } : {}),
  };
}
