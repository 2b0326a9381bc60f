import { Addresses } from './addresses.js';
import { type Client, type ConnectOptions, connect } from './client.js';
import type { ServiceDefinition } from './definition.js';
import { addressesOf, at, type Target } from './target.js';

/** Calls every address of a target by itself, where `connect` calls any of them. */
export class EachAddress<Definition extends ServiceDefinition> {
  readonly #addresses: Addresses;
  readonly #clients = new Map<string, Client<Definition>>();

  constructor(
    private readonly definition: Definition,
    private readonly target: Target,
    private readonly options: ConnectOptions,
  ) {
    this.#addresses = new Addresses(addressesOf(target), (addresses) => this.#update(addresses));
  }

  /** What `ask` gives of each address, in the order of the addresses. Rejects when one of them does. */
  async ask<Answer>(ask: (client: Client<Definition>, address: string) => Promise<Answer>): Promise<Answer[]> {
    await this.#addresses.asked;
    return Promise.all([...this.#clients].map(([address, client]) => ask(client, address)));
  }

  close(): void {
    this.#addresses.close();
    this.#update([]);
  }

  #update(addresses: readonly string[]): void {
    for (const [address, client] of this.#clients) {
      if (addresses.includes(address)) continue;
      this.#clients.delete(address);
      client.close();
    }
    for (const address of addresses) {
      if (!this.#clients.has(address)) {
        this.#clients.set(address, connect(this.definition, at(this.target, address), this.options));
      }
    }
  }
}
