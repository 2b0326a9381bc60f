import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';

/** A rival's client of one unary method at `host:port`. */
export function unaryClient<Request, Response>(
  address: string,
  { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Response>,
  deadlineMs: number,
): (request: Request, headers: Readonly<Record<string, string>>) => Promise<Response> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.enable_channelz': 0 });
  return (request, headers) =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
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
