import { Slots } from '#libs/lane/slots.js';
import { Fault } from '#libs/refusal/fault.js';
import type { MethodDefinition } from '#libs/rpc/definition.js';
import { withinDeadline } from '#libs/runtime/within-deadline.js';
import { type Insistence, insist, type Patience, type Try } from './insist.js';

/** A token, or what gives one that is good now: it is asked before each try. */
export type Token = string | (() => string | Promise<string>);

/** What one call sends along. */
export type CallAs = Try & { metadata: Record<string, string> };

/**
 * Calls under way at once over the connections of one client. A crowd of calls sent all together is answered later than a try waits,
 * and its repetitions keep it so.
 */
const MAX_IN_FLIGHT = 250;

/** Who speaks, and how. */
interface Speaker {
  token?: Token | undefined;
  /** In which languages faults say what happened, as HTTP's header does. */
  acceptLanguage?: string | undefined;
  /** For whom a service acts; absent: for whoever the token names. */
  userId?: string | undefined;
}

/** In whose name calls are made. */
export class Voice {
  constructor(
    private readonly speaker: Speaker,
    private readonly slots = new Slots(MAX_IN_FLIGHT, Number.POSITIVE_INFINITY, 'call'),
  ) {}

  get userId(): string | undefined {
    return this.speaker.userId;
  }

  /** The same caller acting for that user, or another one, over the same connections. */
  with(other: Pick<Speaker, 'userId' | 'token'>): Voice {
    return new Voice({ ...this.speaker, ...other }, this.slots);
  }

  /** The options of one try in this name; Fault TOO_LATE when no token comes in time. */
  async options(one: Try): Promise<CallAs> {
    const { token, acceptLanguage, userId } = this.speaker;
    const metadata: Record<string, string> = {};
    if (userId !== undefined) metadata['holdfast-for-user'] = userId;
    if (acceptLanguage !== undefined) metadata['accept-language'] = acceptLanguage;
    if (token !== undefined) metadata.authorization = `Bearer ${await this.#given(token, one.deadlineMs)}`;
    return { ...one, metadata };
  }

  /** Sends until there is an answer; again after what decided nothing, if the contract calls the method idempotent. */
  async ask<Answer>(
    method: MethodDefinition,
    send: (options: CallAs) => Promise<Answer>,
    patience: Patience = {},
  ): Promise<Answer> {
    const answer = await this.insist(method, send, patience);
    if (answer instanceof Fault) throw answer;
    return answer;
  }

  /** Likewise, and gives what was heard last when the time is over. */
  insist<Answer>(
    method: MethodDefinition,
    send: (options: CallAs) => Promise<Answer>,
    patience: Patience & Pick<Insistence<Answer>, 'waitAfter'>,
  ): Promise<Answer | Fault> {
    const attempt = async (one: Try): Promise<Answer> => send(await this.options(one));
    return insist(attempt, { ...patience, slots: this.slots, again: isIdempotent(method) });
  }

  #given(token: Token, deadlineMs: number): Promise<string> | string {
    if (typeof token === 'string') return token;
    const late = (): Fault => new Fault('TOO_LATE', 'No token came in time');
    return withinDeadline(Promise.resolve(token()), Math.max(1, deadlineMs), late);
  }
}

/** Whether the contract says that the same may be sent again. */
function isIdempotent({ options }: MethodDefinition): boolean {
  return options.idempotencyLevel !== undefined;
}
