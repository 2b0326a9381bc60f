import type { ServiceError } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, LocalizedMessage, RetryInfo } from '#libs/contracts/gen/google/rpc/error_details.js';
import { Status } from '#libs/contracts/gen/google/rpc/status.js';
import { assert } from '#libs/testing/suite.js';

/** What an error carries as google.rpc.Status, by kind. */
export function detailsOf(error: ServiceError) {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  assert.instance(bytes, Buffer, `details of ${error.message}`);
  const status = Status.decode(bytes as Buffer);
  assert.is(status.code, error.code);
  const all = <Message>(name: string, type: { decode(bytes: Uint8Array): Message }): Message[] =>
    status.details
      .filter(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${name}`)
      .map(({ value }) => type.decode(value));
  return {
    infos: all('ErrorInfo', ErrorInfo),
    bad: all('BadRequest', BadRequest),
    retries: all('RetryInfo', RetryInfo),
    messages: all('LocalizedMessage', LocalizedMessage),
  };
}
