import type { Paint } from '#libs/terminal/paint.js';
import type { Gateway } from '../app/ports.js';
import { gatewayOn } from './gateway.js';
import { type AddressSources, type GatewayAddress, gatewayAddress } from './gateway-address.js';
import { type NameSources, operatorName } from './operator-name.js';
import { operatorToken, type TokenSources } from './operator-token.js';
import type { Screen } from './screen.js';
import { openWire, type Wire } from './wire.js';

/** Where a session learns what it was not told. */
export interface Surroundings {
  env: AddressSources['env'] & NameSources['env'] & TokenSources['env'];
  meshDirectory: string;
  loginName: string | undefined;
  /** How often a command that watches looks. */
  watchEveryMs: number;
  /** Aborts when the operator has seen enough. Called by commands that watch, and by no other. */
  interrupted(): AbortSignal;
}

/** What the commands of one run share: the screen, and one connection to the gateway, made when it is first needed. */
export class Session {
  #address: GatewayAddress | undefined;
  #wire: Wire | undefined;
  #gateway: Gateway | undefined;
  /** The options of all commands. */
  given: { gateway?: string | undefined; as?: string | undefined; tokenFile?: string | undefined } = {};

  constructor(
    readonly screen: Screen,
    readonly surroundings: Surroundings,
  ) {}

  /** Undefined until something was asked of it. */
  get address(): GatewayAddress | undefined {
    return this.#address;
  }

  /** Throws UsageError when the address is none, or the operator's name. */
  gateway(): Gateway {
    if (this.#gateway !== undefined) return this.#gateway;
    const { env, meshDirectory, loginName } = this.surroundings;
    const operator = operatorName({ as: this.given.as, env, loginName });
    this.#address = gatewayAddress({ env, meshDirectory, given: this.given.gateway });
    const { tokenFile } = this.given;
    this.#wire = openWire(this.#address.address, operatorToken({ tokenFile, env, operator, meshDirectory }));
    this.#gateway = gatewayOn(this.#wire);
    return this.#gateway;
  }

  /** Shows what the gateway answered, and which one that was: a change at another one's would be a surprise. */
  show(result: object, text: (paint: Paint) => string): void {
    this.screen.show(this.document(result), () => this.page(text));
  }

  /** The document of a result. */
  document(result: object): object {
    return { gateway: this.#address?.address ?? '', ...result };
  }

  /** The text of a result, under the name of the gateway. */
  page(text: (paint: Paint) => string): string {
    const { address = '', from = '' } = this.#address ?? {};
    const { paint } = this.screen;
    return `${paint('dim', `gateway ${address} (${from})`)}\n${text(paint)}`;
  }

  close(): void {
    this.#wire?.close();
  }
}
