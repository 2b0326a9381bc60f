import { type CallOptions, type Client, connect } from '#libs/rpc/client.js';
import type { ServiceDefinition } from '#libs/rpc/definition.js';

const defaultDeadlineMs = 5_000;
/** For what goes through many rows. The gateway may give up earlier. */
const longDeadlineMs = 120_000;

/** The way to one gateway: its services, and how its calls are made. */
export interface Wire {
  connect<Definition extends ServiceDefinition>(definition: Definition): Client<Definition>;
  readonly options: CallOptions;
  /** For calls that go through many rows. */
  readonly patient: CallOptions;
  close(): void;
}

/** Calls go to `address` with the operator's token, when there is one. Call `close` at the end. */
export function openWire(address: string, token: () => string | undefined): Wire {
  const clients = new Map<ServiceDefinition, { close(): void }>();
  const metadata = (): Record<string, string> => {
    const given = token();
    return given === undefined ? {} : { authorization: `Bearer ${given}` };
  };
  return {
    connect<Definition extends ServiceDefinition>(definition: Definition): Client<Definition> {
      const client = clients.get(definition) ?? connect(definition, address, { defaultDeadlineMs, metadata });
      clients.set(definition, client);
      // What is kept under a definition is a client of it.
      return client as Client<Definition>;
    },
    options: {},
    patient: { deadlineMs: longDeadlineMs },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}
