import { identityNotes } from '#libs/identity/identity-settings.js';
import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  ...identityNotes,
  SERVICE_TOKEN_PATH: {
    why: 'The file with the token, of role `service`, by which it speaks to the gateways for itself: reservations of users, and what payment providers tell. It is read again whenever it is needed. Without it its certificate must say who it is.',
  },
  HTTP_ADDRESS: { why: 'Where apps reach it.' },
  GATEWAY_TARGET: { why: 'The gateways. Reservations go round all of them, and to another when one breaks off.' },
  DEADLINE_MS: {
    unit: 'ms',
    why: 'How long one request of an app is worked on before it hears 504. One try of a gateway lasts 3 s at most, so this leaves time for three of them, one after the other, when gateways or inventories die.',
    smaller:
      'Below 3,000 an app hears 504 of reservations that are being decided. Its retry finds the same order, but it has to retry.',
    larger:
      'While nothing can be decided a crowd keeps its connections for longer, and proxies on the way (30 s or 60 s, mostly) give up first: the app sees a closed connection in place of a 504 that says what to do.',
  },
  MAX_IN_FLIGHT: {
    unit: 'reservations that wait to be sent',
    why: 'The queue in front of the gateways. It fills only while no gateway takes anything; 10,000 more may be under way at each gateway. At the 2,000 to 5,000 reservations a second that one bff passes on, this is some seconds of a crowd: as long as a gateway takes to come back.',
    smaller: 'A crowd that meets a restarting gateway hears 503 although waiting for a second would have served it.',
    larger:
      'The process keeps more of a crowd in memory than it can pass on within DEADLINE_MS: they wait for nothing and hear 504, later than the 503.',
  },
  PAYMENT_NOTICE_SECRETS: {
    why: 'Who may tell of payments: `provider=whsec_…` for each, with commas between. Two of one provider are both believed, while one is replaced. Empty: notices are 404.',
  },
};
