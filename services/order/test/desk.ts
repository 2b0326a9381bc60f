import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { type Client, connect } from '#libs/rpc/client.js';

/** What operators ask the order service, through clients of a test's own. */
export interface Desk {
  readonly alerts: Client<AlertServiceDefinition>;
  readonly letters: Client<DeadLetterServiceDefinition>;
  /** Calls speak with this as the operator olga, as the gateway passes them on. */
  readonly olga: { readonly metadata: Record<string, string> };
  close(): void;
}

/** Opens the desk at a service. */
export function deskAt(grpcAddress: string): Desk {
  const options = { defaultDeadlineMs: 5_000 };
  const alerts = connect(AlertServiceDefinition, grpcAddress, options);
  const letters = connect(DeadLetterServiceDefinition, grpcAddress, options);
  return {
    alerts,
    letters,
    olga: { metadata: { 'holdfast-actor': 'olga', 'holdfast-actor-role': 'operator' } },
    close() {
      for (const client of [alerts, letters]) client.close();
    },
  };
}
