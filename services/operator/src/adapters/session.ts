import type { Paint } from '#libs/terminal/paint.js';
import type { Control } from '../app/ports.js';
import { connectControl } from './control.js';
import { type AddressSources, type GatewayAddress, gatewayAddress } from './gateway-address.js';
import type { Screen } from './screen.js';

/** What the commands of one run share: the screen, and one connection to the gateway, made when it is first needed. */
export class Session {
  #address: GatewayAddress | undefined;
  #control: (Control & { close(): void }) | undefined;
  /** The option --gateway. */
  given: string | undefined;

  constructor(
    readonly screen: Screen,
    private readonly sources: Omit<AddressSources, 'given'>,
  ) {}

  /** Undefined until something was asked of it. */
  get gateway(): GatewayAddress | undefined {
    return this.#address;
  }

  /** Throws UsageError when the address is none. */
  control(): Control {
    this.#address ??= gatewayAddress({ ...this.sources, given: this.given });
    this.#control ??= connectControl(this.#address.address);
    return this.#control;
  }

  /** Shows what the gateway answered, and which one that was: a change at another one's would be a surprise. */
  show(result: object, text: (paint: Paint) => string): void {
    const { address = '', from = '' } = this.#address ?? {};
    const { paint } = this.screen;
    const heading = paint('dim', `gateway ${address} (${from})`);
    this.screen.show({ gateway: address, ...result }, () => `${heading}\n${text(paint)}`);
  }

  close(): void {
    this.#control?.close();
  }
}
