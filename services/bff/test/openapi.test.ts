import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { assert, suite } from '#libs/testing/suite.js';
import { pathOf } from '../src/adapters/openapi.js';
import { type EdgeUnderTest, startEdgeUnderTest } from './edge-under-test.js';
import { type Documented, type DocumentedAnswer, type Given, provoke } from './provoke.js';

const test = suite('openapi');
let edge: EdgeUnderTest;
let document: { openapi: string; paths: Record<string, Record<string, Documented>>; components: Components };
let operations: Documented[];
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

interface Components {
  headers: Record<string, { required?: boolean }>;
  schemas: Record<string, Schema>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: unknown[];
}

test.before(async () => {
  // Streams wait 2 s for a gateway that is away, before they say so.
  edge = await startEdgeUnderTest({ deadlineMs: 4_000, requestTimeoutMs: 800, headersTimeoutMs: 500 });
  const response = await fetch(`${edge.base}/openapi.json`);
  document = (await response.json()) as typeof document;
  operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ ...operation, path, method })),
  );
  ajv.addSchema(document, 'document');
});
test.before.each(() => edge.reset());
test.after(() => edge.close());

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  assert.ok(valid, JSON.stringify(errors));
  assert.match(document.openapi, /^3\.1\./);
  assert.is(validator.version, '3.1');
});

test('every path that the sources name is in the document, and nothing else', () => {
  const folder = new URL('../../../../services/bff/src/adapters/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const urls = sources.flatMap((source) =>
    [...source.matchAll(/(?:resource\(\w+, |stream\()\s*'(\/[^']*)'/g)].map(([, url = '']) => pathOf(url)),
  );
  assert.equal(Object.keys(document.paths).sort(), [...new Set(urls)].sort());
  assert.ok(urls.length > 20);
});

test('operations are named once each, and have all that a program needs to call them', () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.is(new Set(ids).size, ids.length);
  for (const { path, method, parameters, security } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.equal(
      parameters.filter((one) => one.in === 'path').map(({ name }) => name),
      inPath,
    );
    const key = parameters.find(({ name }) => name === 'Idempotency-Key');
    const isKeyed = method !== 'get' && !['/v1/request-ids', '/v1/payments/notices/{provider}'].includes(path);
    assert.is(key?.required ?? false, isKeyed, path);
    if (/^\/v1\/(orders|me|waitlist)/.test(path)) assert.equal(security, [{ bearer: [] }], path);
  }
});

test('every answer that is documented is given, with every reason, and fits its schema', async () => {
  const cases = operations.flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, answer]) =>
      reasonsOf(answer).map((reason) => ({ operation, status, answer, reason })),
    ),
  );
  const judge = async ({ operation, status, answer, reason }: (typeof cases)[number]): Promise<string[]> => {
    const given = await provoke(edge, operation, { status: Number(status), reason, sample });
    const why = faultOf(operation, { status, reason, answer }, given);
    return why === undefined ? [] : [`${operation.operationId} ${status} ${reason ?? ''}: ${why}`];
  };
  const wrong: string[] = [];
  for (const one of cases.filter(({ status }) => status !== '408')) wrong.push(...(await judge(one)));
  // Slow requests take their time, and nothing of the fake gateway: all of them at once.
  wrong.push(...(await Promise.all(cases.filter(({ status }) => status === '408').map(judge))).flat());
  assert.equal(wrong, []);
  assert.ok(cases.length > 350, `${cases.length}`);
});

/** Each of its reasons; of an answer that is no problem just one. */
function reasonsOf({ content }: DocumentedAnswer): (string | undefined)[] {
  const problem = content?.['application/problem+json']?.schema;
  return problem?.allOf?.flatMap(({ properties }) => properties?.reason?.enum ?? []) ?? [undefined];
}

/** What of an answer is not as documented. */
function faultOf(
  { path, method }: Documented,
  { status, reason, answer }: { status: string; reason: string | undefined; answer: DocumentedAnswer },
  given: Given,
): string | undefined {
  if (given.status !== Number(status)) return `${given.status} ${given.text.slice(0, 200)}`;
  for (const [name, { $ref }] of Object.entries(answer.headers ?? {})) {
    const isNeeded = document.components.headers[$ref.split('/').at(-1) ?? '']?.required === true;
    if (isNeeded && !given.headers.has(name)) return `has no ${name}`;
  }
  const type = given.headers.get('content-type')?.split(';')[0];
  const types = Object.keys(answer.content ?? {});
  if (types.length === 0) return given.text === '' ? undefined : 'has a body';
  if (type === undefined || !types.includes(type)) return `is ${type}`;
  const steps = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const isJson = type.includes('json');
  const body: unknown = isJson ? JSON.parse(given.text) : given.text;
  if (reason !== undefined && (body as { reason?: string }).reason !== reason) return given.text;
  return ajv.validate({ $ref: `document#/${pointer}` }, body) ? undefined : ajv.errorsText();
}

/** Something that fits the schema, of its examples. */
function sample(schema: Schema): unknown {
  const { $ref, examples, enum: words, type, items, properties = {}, required = [] } = schema;
  if ($ref !== undefined) return sample(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  if (examples !== undefined) return examples[0];
  if (words !== undefined) return words[0];
  if (type === 'array') return [sample(items ?? {})];
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
}

test('the page for people names every operation, runs nothing and fits its policy', async () => {
  const page = await edge.ask('/docs');
  assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  for (const { operationId, path } of operations) {
    assert.ok(page.text.includes(`id="${operationId}"`) && page.text.includes(path), operationId);
  }
  assert.not.match(page.text, /<script|\son\w+=|https?:\/\/(?!json-schema)/);
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text) ?? [];
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`));
  assert.ok(policy.includes("default-src 'none'") && !policy.includes('unsafe'));
});

test.run();
