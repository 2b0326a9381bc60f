import type { Drill } from '../drill.js';

/** Each way. */
const DELAY_MS = 250;

export const postgresSlow: Drill = {
  name: 'postgres-slow',
  about: 'every statement in Postgres takes 500 ms longer',
  recovery: 'the network to Postgres is fast again',
  fault: ({ links }) => links.postgres.delay(DELAY_MS),
  heal: ({ links }) => links.postgres.heal(),
};
