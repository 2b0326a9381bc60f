import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { connect } from '#libs/rpc/client.js';
import { type OrderVerbs, orderVerbs } from './order-verbs.js';
import { type SkuVerbs, skuVerbs } from './sku-verbs.js';
import { type Token, Voice } from './voice.js';
import { type WaitlistVerbs, waitlistVerbs } from './waitlist-verbs.js';

/** Holdfast in the name of one caller. */
export interface Holdfast extends OrderVerbs, SkuVerbs, WaitlistVerbs {}

/** Holdfast behind one connection. */
export interface HoldfastClient extends Holdfast {
  /** The same in the name of a user, over the same connections: for services, which may act for others. */
  forUser(userId: string): Holdfast;
  /** The same by another token, over the same connections: for who passes on what callers of its own show. */
  withToken(token: Token): Holdfast;
  /** Closes the connections, also of what forUser and withToken gave; calls that are open end with UNAVAILABLE. */
  close(): void;
}

export interface HoldfastOptions {
  /** Sent as `authorization: Bearer …`. A function is asked before each try: keep a token there until shortly before it expires. */
  token?: Token;
  /** Speaks TLS; without it the connection is plain, which is for this machine alone. */
  tls?: HoldfastTls;
  /** `zh-CN,en;q=0.5`: in which language faults say what happened, for people (`Fault.localized`). Absent: English. */
  acceptLanguage?: string;
}

/** Texts or bytes in PEM. */
export interface HoldfastTls {
  /** Who signed the gateways' certificates. Absent: whom Node trusts. */
  ca?: string | Buffer;
  /** The certificate that this service shows, and its key: for gateways that know services by them. */
  cert?: string | Buffer;
  key?: string | Buffer;
}

/** For calls that come without a deadline of their own; each here has one. */
const DEADLINE_MS = 5_000;

/**
 * A client of the gateways behind `target`: `host:port[,host:port…]` or `dns:host:port`, all addresses of the name. Connects with the
 * first call. Calls go round the addresses, and on to another when one is away.
 */
export function connectHoldfast(target: string, { token, tls, acceptLanguage }: HoldfastOptions = {}): HoldfastClient {
  const peer = tls ? { addresses: target, credentials: credentialsOf(tls) } : target;
  const gateway = connect(ReservationServiceDefinition, peer, { defaultDeadlineMs: DEADLINE_MS });
  const waitlist = connect(WaitlistServiceDefinition, peer, { defaultDeadlineMs: DEADLINE_MS });
  const spokenBy = (voice: Voice): Holdfast => ({
    ...orderVerbs(gateway, voice),
    ...skuVerbs(gateway, voice),
    ...waitlistVerbs(waitlist, voice),
  });
  const voice = new Voice({ token, acceptLanguage });
  return {
    ...spokenBy(voice),
    forUser: (userId) => spokenBy(voice.with({ userId })),
    withToken: (another) => spokenBy(voice.with({ token: another, userId: undefined })),
    close() {
      gateway.close();
      waitlist.close();
    },
  };
}

function credentialsOf({ ca, cert, key }: HoldfastTls): ChannelCredentials {
  const bytes = (pem: string | Buffer | undefined): Buffer | null => (pem === undefined ? null : Buffer.from(pem));
  return credentials.createSsl(bytes(ca), bytes(key), bytes(cert));
}
