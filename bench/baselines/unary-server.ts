import { type handleUnaryCall, type Metadata, type MethodDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import { rivalVerifier } from './rival-identity.js';

/** A rival's gRPC server with one unary method on a free port; resolves with its `host:port`. */
export function serveUnary<Request, Response>(
  method: MethodDefinition<Request, Response>,
  handle: (request: Request, user: string) => Promise<Response>,
): Promise<string> {
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const handler: handleUnaryCall<Request, Response> = (call, callback) => {
    answer(call.request, call.metadata).then(
      (response) => callback(null, response),
      (error: Error) => callback(error),
    );
  };
  async function answer(request: Request, metadata: Metadata): Promise<Response> {
    const actor = textOf(metadata, 'holdfast-actor');
    if (actor !== undefined) return handle(request, actor);
    return handle(request, (await rivalVerifier.verify(textOf(metadata, 'authorization'))).userId);
  }
  server.addService({ method }, { method: handler });
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(`127.0.0.1:${port}`);
      else reject(error);
    });
  });
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}
