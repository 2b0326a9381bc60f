import { Client, credentials, type Metadata, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';

/** A stretch of gRPC before a service: everything passes, and what every call brought along is kept. */
export interface CallRecorder {
  address: string;
  /** The values of a header, by method as in `OrderService/GetOrder`, of calls that had it. */
  valuesOf(header: string): { method: string; value: string }[];
  close(): void;
}

export async function recordCalls(target: string): Promise<CallRecorder> {
  const calls: { path: string; metadata: Metadata }[] = [];
  const client = new Client(target, credentials.createInsecure());
  const asIs = (bytes: Buffer): Buffer => bytes;
  const passOn = (path: string) => (call: ServerDuplexStream<Buffer, Buffer>) => {
    calls.push({ path, metadata: call.metadata });
    const next = client.makeBidiStreamRequest(path, asIs, asIs, call.metadata, { deadline: call.getDeadline() });
    call.on('data', (bytes: Buffer) => next.write(bytes)).on('end', () => next.end());
    call.on('cancelled', () => next.cancel());
    next.on('metadata', (metadata) => call.sendMetadata(metadata));
    next.on('data', (bytes: Buffer) => call.write(bytes)).on('end', () => call.end());
    next.on('error', (error) => call.emit('error', error));
  };
  const server = new Server();
  // One handler for whatever is called: on the wire each call is a stream of messages either way.
  (server as unknown as { handlers: { get(path: string): object } }).handlers.get = (path) => {
    return { func: passOn(path), serialize: asIs, deserialize: asIs, type: 'bidi', path };
  };
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, at: number): void => (error ? reject(error) : resolve(at));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
  });
  return {
    address: `127.0.0.1:${port}`,
    valuesOf: (header) =>
      calls.flatMap(({ path, metadata }) =>
        metadata.get(header).map((value) => ({ method: path.split('.').at(-1) ?? '', value: String(value) })),
      ),
    close() {
      server.forceShutdown();
      client.close();
    },
  };
}
