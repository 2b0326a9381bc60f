import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as a collector is told of it. */
export interface ReceivedSpan {
  service: string;
  instance: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: string;
  isError: boolean;
  attributes: Record<string, string | number>;
  links: string[];
}

type Value = { stringValue?: string; intValue?: number | string };
type Attribute = { key: string; value: Value };
interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        status: { code?: number };
        attributes?: Attribute[];
        links?: { spanId: string }[];
      }[];
    }[];
  }[];
}

const kinds = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];

/** A collector that takes OTLP over HTTP and keeps all that it is told. */
export async function spanReceiver(): Promise<{ url: string; spans: ReceivedSpan[]; close(): void }> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/traces') spans.push(...spansIn((await json(request)) as Sent));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, spans, close };
}

function spansIn({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service, 'service.instance.id': instance } = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, status, attributes = [], links = [] }) => ({
        ...{ service: String(service), instance: String(instance), traceId, spanId, parentSpanId, name },
        kind: kinds[kind] ?? '',
        isError: status.code === 2,
        attributes: valuesOf(attributes),
        links: links.map((link) => link.spanId),
      })),
    );
  });
}

function valuesOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? Number(intValue)]),
  );
}
