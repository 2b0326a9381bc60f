import { identityNotes } from '#libs/identity/identity-settings.js';
import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  ...identityNotes,
  SERVICE_TOKEN_PATH: {
    why: 'The file with the token, of role `service`, by which it speaks to the gateways for itself: reservations of users, reads of anybody, and what payment providers tell. What was read is used for a second. Without it its certificate must say who it is.',
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
  STREAMS_MAX: {
    unit: 'streams',
    why: 'Streams of events that one process has open. Each is a connection, some 20 kB of memory and 16 kB more while its reader is slow: 10,000 are 360 MB at the very worst. The process needs as many file descriptors.',
    smaller: 'Readers hear 503 although there was room, and ask again and again.',
    larger:
      'Past what memory or file descriptors allow the process dies, and takes the reservations that it works on with it.',
  },
  STREAMS_PER_USER: {
    unit: 'streams',
    why: 'Of what is their own, in each process. A person has some tabs on some devices, with one stream or two each.',
    smaller: 'Whoever has several tabs open hears 429 in one of them.',
    larger: 'One user takes more of STREAMS_MAX from the others.',
  },
  STREAMS_PER_ADDRESS: {
    unit: 'streams',
    why: 'Of what anybody may see, where the units of a sku are, in each process. Many people may stand behind one address: a school, a mobile network. They cost hardly more than one, for each sku is read once. Behind a proxy name it in TRUST_PROXY: otherwise all who come through it share its address.',
    smaller:
      'A class whose tablets share an address hears 429, and so does everybody behind a proxy that is not named.',
    larger: 'One address takes more of STREAMS_MAX from the others.',
  },
  STREAM_HEARTBEAT_MS: {
    unit: 'ms',
    why: 'A comment goes out when nothing else did for so long. Proxies and mobile networks cut what is silent for 30 s or 60 s.',
    smaller: 'Phones wake up more often, for nothing.',
    larger: 'From half of what the strictest proxy on the way allows, streams are cut that are well.',
  },
  STREAM_LIFETIME_MS: {
    unit: 'ms',
    why: 'A stream ends after 80 % to all of it, and its reader comes back, with the identity and to the process of then. A reader that went without a word is found out by then at the latest.',
    smaller: 'Readers come back more often, and each time asks the gateway once.',
    larger:
      'Streams stay with the processes that were there first: new ones get no share of them. Whoever may not listen any more still does for so long.',
  },
  CORS_ORIGINS: {
    why: 'Origins whose pages may call from a browser: `https://shop.example,…`, exact, no wildcards. Empty: none.',
  },
  TRUST_PROXY: {
    why: 'Proxies in front of it, by address or network: what they say in X-Forwarded-For is believed, as far as each hop is one of them, and is the address of the client in limits and logs. Empty: nobody is believed, and the address is that of the connection. Name only proxies that overwrite or extend the header: whoever is named can be anybody.',
  },
  MAX_CONNECTIONS: {
    unit: 'connections',
    why: 'Of this process; each more is closed as it comes. An idle one is some 20 kB, so these are 400 MB. The process needs as many file descriptors.',
    smaller: 'A part of a crowd hears nothing at all, and its browsers try again by themselves.',
    larger: 'Past what memory or file descriptors allow, the process dies with all of them.',
  },
  PAYMENT_NOTICE_SECRETS: {
    why: 'Who may tell of payments: `provider=whsec_…` for each, with commas between. Two of one provider are both believed, while one is replaced. Empty: notices are 404.',
  },
};
