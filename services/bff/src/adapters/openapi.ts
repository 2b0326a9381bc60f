import { type FaultReason, faultCatalogue } from '#libs/refusal/fault.js';
import { version } from '#libs/runtime/version.js';
import { Components, type Json } from './openapi-components.js';
import {
  changeHeaders,
  describeStatus,
  headersOf,
  httpReasons,
  info,
  localReasons,
  namedHeaders,
  pathReason,
  problemSchema,
  readHeaders,
  reasonsOfAll,
  reasonsOfChanges,
  reasonsOfUsers,
  securitySchemes,
  userHeaders,
} from './openapi-parts.js';
import type { HeaderDoc, Operation } from './operation.js';

/** The document (OpenAPI 3.1) of what is served: every route, and every answer that each can give. */
export function openApiOf(operations: readonly Operation[]): Json {
  const components = new Components({ Problem: problemSchema });
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = pathOf(operation.url);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationJson(operation, components) };
  }
  return {
    openapi: '3.1.1',
    info: { ...info, version },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ doc }) => doc.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes, headers: namedHeaders, schemas: components.schemas },
  };
}

/** `/v1/orders/:id(^[^:]+)::cancel` is `/v1/orders/{id}:cancel`. */
export function pathOf(url: string): string {
  return url.replace(/::|:(\w+)(?:\([^)]*\))?/g, (_, name?: string) => (name === undefined ? ':' : `{${name}}`));
}

function operationJson(operation: Operation, components: Components): Json {
  const { doc, schema, forUser } = operation;
  const body = doc.body ?? schema.body;
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    security: forUser ? [{ bearer: [] }] : [],
    parameters: parametersOf(operation, components),
    ...(body !== undefined && { requestBody: requestBodyOf(body as Json, components) }),
    responses: { ...goodAnswers(operation, components), ...badAnswers(operation) },
  };
}

function requestBodyOf(body: Json, components: Components): Json {
  const required = body.type === 'object';
  return { required, content: { 'application/json': { schema: components.place(body) } } };
}

function parametersOf({ schema, doc, method, keyless, forUser }: Operation, components: Components): Json[] {
  const named = (part: unknown, where: 'path' | 'query'): Json[] =>
    Object.entries((part as { properties?: Record<string, Json> } | undefined)?.properties ?? {}).map(
      ([name, { description, ...one }]) => ({
        name,
        in: where,
        required: where === 'path',
        ...(description !== undefined && { description }),
        schema: components.place(one),
      }),
    );
  const isChange = method !== 'GET' && !keyless;
  const isStream = doc.tag === 'streams';
  const headers: readonly HeaderDoc[] = [
    ...(forUser ? userHeaders : []),
    ...(isChange ? changeHeaders : []),
    ...(method === 'GET' && !isStream ? readHeaders : []),
    ...(doc.headers ?? []),
  ];
  return [...named(schema.params, 'path'), ...named(schema.querystring, 'query'), ...headers.map(headerJson)];
}

function headerJson({ name, description, required, example }: HeaderDoc): Json {
  return {
    name,
    in: 'header',
    description,
    required,
    schema: { type: 'string', ...(example && { examples: [example] }) },
  };
}

function goodAnswers({ doc, schema, method, keyless }: Operation, components: Components): Json {
  const bodies = (schema.response ?? {}) as Record<number, Json>;
  const answers: Record<string, Json> = {};
  for (const [status, description] of Object.entries(doc.answers)) {
    const body = bodies[Number(status)];
    const content = contentOf(body, components);
    answers[status] = {
      description,
      ...headersOf({ status: Number(status), method, keyless, tag: doc.tag }),
      ...content,
    };
  }
  if (method === 'GET' && doc.tag !== 'streams') {
    answers[304] = { description: describeStatus(304), ...headersOf({ status: 304, method, keyless, tag: doc.tag }) };
  }
  return answers;
}

/** Schemas of answers are those of JSON, or say their content type. */
function contentOf(body: Json | undefined, components: Components): Json {
  if (body === undefined || body.type === 'null') return {};
  if (body.content !== undefined) return { content: body.content };
  return { content: { 'application/json': { schema: components.place(body) } } };
}

function badAnswers(operation: Operation): Json {
  const byStatus = new Map<number, Set<string>>();
  const add = (status: number, reason: string): void => {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(reason));
  };
  for (const reason of faultReasonsOf(operation)) add(faultCatalogue[reason].httpStatus, reason);
  for (const [status, reason] of httpReasonsOf(operation)) add(status, reason);
  for (const refusal of operation.doc.refusals ?? []) add(409, refusal);
  const { method, keyless } = operation;
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => [
      status,
      {
        description: describeStatus(status),
        ...headersOf({ status, method, keyless, tag: operation.doc.tag }),
        content: { 'application/problem+json': { schema: problemWith(status, [...reasons].sort()) } },
      },
    ]),
  );
}

function problemWith(status: number, reasons: string[]): Json {
  const properties = { status: { const: status }, reason: { enum: reasons } };
  return { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties }] };
}

function faultReasonsOf({ doc, forUser, method, keyless }: Operation): FaultReason[] {
  const isChange = method !== 'GET' && !keyless;
  return [
    ...(doc.isLocal ? localReasons : reasonsOfAll),
    ...(forUser ? reasonsOfUsers : []),
    ...(isChange ? reasonsOfChanges : []),
    ...(doc.reasons ?? []),
  ];
}

function httpReasonsOf({ method, schema, doc }: Operation): [number, string][] {
  const hasPath = schema.params !== undefined;
  return [
    ...httpReasons.always,
    ...(method === 'GET' ? [] : httpReasons.withBody),
    ...(hasPath ? [pathReason] : []),
    ...(doc.mayLack === undefined ? [] : [httpReasons.lacking]),
  ];
}
