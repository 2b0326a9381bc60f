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

  close(): void {
    this.#control?.close();
  }
}
