import { type CallOptions, type Client, connect } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';

const defaultDeadlineMs = 5_000;
/** For what goes through many rows. The gateway may give up earlier. */
const longDeadlineMs = 120_000;

/** The way to one gateway: its services, and what every call says of the operator. */
export interface Wire {
  connect<Definition extends ServiceDefinition>(definition: Definition): Client<Definition>;
  readonly options: CallOptions;
  /** For calls that go through many rows. */
  readonly patient: CallOptions;
  close(): void;
}

/** Calls go to `address` in the role of an operator, with their name when there is one. Call `close` at the end. */
export function openWire(address: string, operator: string | undefined): Wire {
  const clients = new Map<ServiceDefinition, { close(): void }>();
  const metadata = { 'x-holdfast-role': 'operator', ...(operator !== undefined && { 'x-holdfast-user': operator }) };
  return {
    connect<Definition extends ServiceDefinition>(definition: Definition): Client<Definition> {
      const client = clients.get(definition) ?? connect(definition, address, { defaultDeadlineMs });
      clients.set(definition, client);
      // What is kept under a definition is a client of it.
      return client as Client<Definition>;
    },
    options: { metadata },
    patient: { metadata, deadlineMs: longDeadlineMs },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}
