import type { EnvReader } from '#libs/runtime/config.js';
import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** The algorithms that are believed when nothing is said: signatures whose keys can be shown to everybody. */
const algorithmsDefault = 'EdDSA,ES256,RS256';

/** The settings of whoever reads tokens. */
export function declareIdentity(read: EnvReader) {
  return {
    issuer: read.string('TOKEN_ISSUER'),
    audience: read.string('TOKEN_AUDIENCE'),
    keys: read.string('TOKEN_KEYS'),
    algorithms: read.string('TOKEN_ALGORITHMS', { default: algorithmsDefault }).split(','),
    cacheMax: read.integer('TOKEN_CACHE_MAX', { default: 50_000, min: 1, max: 5_000_000 }),
  };
}

/** Why they are what they are. */
export const identityNotes: SettingNotes = {
  TOKEN_ISSUER: { why: 'The `iss` that a token must have: who may say who somebody is.' },
  TOKEN_AUDIENCE: { why: 'The `aud` that a token must have. Tokens that were issued for another system are refused.' },
  TOKEN_KEYS: {
    why: 'The public keys of the issuer, a JSON Web Key Set: its http or https URL, or the path of a file. It is read again every five minutes, and when a token names a key that is not known, so keys are replaced without a restart.',
  },
  TOKEN_ALGORITHMS: {
    why: 'The signatures that are believed, with commas between. Anything else, and no signature at all, is refused whatever the token says.',
  },
  TOKEN_CACHE_MAX: {
    unit: 'tokens',
    why: 'Verifying a signature costs 0.2 ms, so a verified token is remembered until it ends. 50,000 is the crowd of a large sale, at about 1 kB each.',
    smaller:
      'With more people than that at once, each request verifies its token again: a core does 5,000 of them a second.',
    larger: 'Memory: about 1 kB for each.',
  },
};
