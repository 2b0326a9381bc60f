import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';

/** A rival's client of one unary method at `host:port`. */
export function unaryClient<Request, Response>(
  address: string,
  { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Response>,
  deadlineMs: number,
): (request: Request, user: string) => Promise<Response> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.enable_channelz': 0 });
  return (request, user) =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      metadata.set('x-holdfast-user', user);
      const options = { deadline: Date.now() + deadlineMs };
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        options,
        (error, response) => (error === null && response !== undefined ? resolve(response) : reject(error)),
      );
    });
}
