import { type handleUnaryCall, type MethodDefinition, Server, ServerCredentials } from '@grpc/grpc-js';

/** A rival's gRPC server with one unary method on a free port; resolves with its `host:port`. */
export function serveUnary<Request, Response>(
  method: MethodDefinition<Request, Response>,
  handle: (request: Request, user: string) => Promise<Response>,
): Promise<string> {
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const handler: handleUnaryCall<Request, Response> = (call, callback) => {
    handle(call.request, String(call.metadata.get('x-holdfast-user')[0] ?? '')).then(
      (response) => callback(null, response),
      (error: Error) => callback(error),
    );
  };
  server.addService({ method }, { method: handler });
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(`127.0.0.1:${port}`);
      else reject(error);
    });
  });
}
