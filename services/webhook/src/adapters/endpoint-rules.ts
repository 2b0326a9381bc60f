import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

const MAX_URL_LENGTH = 2_048;

/** What endpoints can be told of. */
const eventTypes: readonly string[] = [
  ...['held', 'confirmed', 'cancelled', 'expired', 'fulfilled'].map((state) => `order.${state}`),
  ...['waiting', 'offered', 'promoted', 'expired', 'declined', 'left', 'ended'].map((state) => `waitlist.${state}`),
  ...['due', 'done', 'withdrawn'].map((state) => `refund.${state}`),
];
const wildcards = ['order.*', 'waitlist.*', 'refund.*'];

/** A host as a socket wants it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Everything for which no webhook is sent to a URL. What a name stands for is seen when it is sent. */
export function urlProblems(text: string, { allowPrivate }: { allowPrivate: boolean }): string[] {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return [`must be a URL of at most ${MAX_URL_LENGTH} characters`];
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  const port = Number(url.port || 443);
  const isForbiddenPort = port !== 443 && port < 1_024;
  const host = hostOf(url);
  return [
    ...(schemes.includes(url.protocol) ? [] : [`must begin with ${schemes.map((one) => `${one}//`).join(' or ')}`]),
    ...(url.username || url.password ? ['must not name a user'] : []),
    ...(url.hash ? ['must not have a fragment'] : []),
    ...(!allowPrivate && isForbiddenPort ? ['must have port 443, or one from 1024 on'] : []),
    ...(!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host) ? ['must not be a private address'] : []),
  ];
}

/** Of these types, those that do not exist. */
export function unknownTypes(types: readonly string[]): string[] {
  return types.filter((type) => !eventTypes.includes(type) && !wildcards.includes(type));
}
