import { claimsStream } from '#libs/contracts/subjects.js';

/** What services are configured with unless somebody says otherwise. */
const SHARDS = 4;

/** The names of the streams that carry claims. */
export const claimStreams = Array.from({ length: SHARDS }, (_, shard) => claimsStream(shard));
