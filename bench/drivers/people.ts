import { bearerOf } from '#libs/testing/test-issuer.js';

/** So many people come again and again, as the crowd of a sale does: a token is verified once, and then known. */
export const peopleCount = 5_000;

/** What each of them shows, made before any clock starts: signing takes its time. */
export function peoplesTokens(): string[] {
  return Array.from({ length: peopleCount }, (_, n) => bearerOf(`person-${n}`));
}
