import type { FaultReason } from '#libs/refusal/fault.js';
import { describeKey, keyHeader } from './idempotency-key.js';
import { forUserHeader } from './identity.js';
import type { Json } from './openapi-components.js';
import type { HeaderDoc, Operation } from './operation.js';

/** What goes for all operations of the published document, or for all of a kind. */

export const info = {
  title: 'Holdfast',
  summary: 'Sells strictly limited capacity to a crowd without ever selling a unit twice.',
  description: [
    'A change has an Idempotency-Key: the same key is the same change, however often it is sent. 429, 503 and 504 decide nothing that',
    'could count twice: send the same again, after Retry-After. 409 is a true no, or says that it cannot be now.',
    'int64 is text, times are RFC 3339 with Z, unknown members and parameters are refused. HEAD is GET without its body. Another',
    'method is 405, with Allow; a path that is not here is 404.',
  ].join(' '),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'sub is the user.' },
} as const;

const text = { type: 'string' } as const;

export const problemSchema: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457). Further members are the facts of the reason.',
  required: ['type', 'title', 'status', 'detail', 'reason'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Names the reason.' },
    title: { ...text, description: 'The same for every occurrence.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { ...text, description: 'This occurrence, for people.' },
    instance: { type: 'string', format: 'uri-reference', description: 'The path. Not with 408 and 431.' },
    reason: { ...text, description: 'For programs; it never changes what it means.', pattern: '^[A-Z_]+$' },
    request_id: { ...text, description: 'The key, else one that is drawn. Not with 408 and 431.' },
    errors: {
      type: 'array',
      description: 'Everything that is wrong with the request.',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          detail: text,
          pointer: { ...text, description: 'Into the body; empty: all of it.' },
          header: text,
          parameter: { ...text, description: 'Of the path or the query.' },
        },
      },
    },
  },
};

export const reasonsOfAll: FaultReason[] = [
  ...(['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'BUSY', 'UNAVAILABLE', 'TOO_LATE'] as const),
];
/** Of what the edge answers by itself. */
export const localReasons: FaultReason[] = ['INVALID_REQUEST'];
export const reasonsOfUsers: FaultReason[] = ['TOKEN_MISSING', 'TOKEN_EXPIRED', 'TOKEN_INVALID', 'PERMISSION_DENIED'];
export const reasonsOfChanges: FaultReason[] = ['REQUEST_IN_PROGRESS', 'REQUEST_ID_REUSED'];

/** What only HTTP can get wrong. */
export const httpReasons: Readonly<Record<'always' | 'withBody', [number, string][]> & { lacking: [number, string] }> =
  {
    always: [
      [408, 'INVALID_REQUEST'],
      [431, 'INVALID_REQUEST'],
    ],
    withBody: [
      [413, 'BODY_TOO_LARGE'],
      [415, 'CONTENT_TYPE_UNSUPPORTED'],
    ],
    lacking: [404, 'RESOURCE_NOT_FOUND'],
  };
export const pathReason: [number, string] = [414, 'PATH_TOO_LONG'];

export const userHeaders: HeaderDoc[] = [
  { name: forUserHeader, description: 'Whom staff act for. From users it is 403.', required: false },
];
export const changeHeaders: HeaderDoc[] = [
  { name: keyHeader, description: `${describeKey}.`, required: true, example: '0f8c3a52-5c1e-4a43-9d6f-8a6f3f0f6f10' },
  {
    name: 'Prefer',
    description: 'wait=N (RFC 7240): how many seconds to wait for a decision.',
    required: false,
    example: 'wait=5',
  },
];
export const readHeaders: HeaderDoc[] = [
  { name: 'If-None-Match', description: 'ETags of what is there already: 304.', required: false },
];

/** Headers of answers, by their names in the components. */
export const namedHeaders = {
  ETag: header('Names the bytes of the answer.', '"yBd0S0lJkqY7pZ0mCw3b2A"'),
  CacheControl: header('Ask again before it is used again.', 'private, no-cache'),
  Location: header('Where what was accepted is read. Not with a place in line.', '/v1/orders/0a1b…'),
  RetryAfter: header('Whole seconds until the same may be asked again.', '1'),
  RetryAfterAlways: { ...header('Whole seconds until the same may be asked again.', '1'), required: true },
  RateLimit: header(
    'draft-ietf-httpapi-ratelimit-headers: what is left of the limit, where it is a rate.',
    '"user";r=0;t=2',
  ),
  RateLimitPolicy: header('draft-ietf-httpapi-ratelimit-headers: the limit.', '"user";q=60;w=2'),
  WWWAuthenticate: { ...header('RFC 6750.', 'Bearer error="invalid_token"'), required: true },
  AcceptEncoding: header('Bodies are taken uncompressed.', 'identity'),
  PreferenceApplied: header('For how long it was waited at most.', 'wait=5'),
};

function header(description: string, example: string): Json {
  return { description, schema: { type: 'string', examples: [example] } };
}

/** The headers that an answer may have. */
export function headersOf(of: Pick<Operation, 'method' | 'keyless'> & { status: number; tag: string }): Json {
  const names = headerNamesOf(of);
  if (names.length === 0) return {};
  const headers = names.map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]);
  return { headers: Object.fromEntries(headers) };
}

type Named = [name: string, component: keyof typeof namedHeaders];

function headerNamesOf({ status, method, keyless, tag }: Parameters<typeof headersOf>[0]): Named[] {
  const isTagged = method === 'GET' && tag !== 'streams' && (status === 200 || status === 304);
  const isLater = [202, 409].includes(status);
  const isAfter = [429, 503].includes(status);
  const mayWait = method !== 'GET' && !keyless && (status < 400 || status === 409);
  return [
    ...(isTagged
      ? ([
          ['ETag', 'ETag'],
          ['Cache-Control', 'CacheControl'],
        ] satisfies Named[])
      : []),
    ...(status === 201 && !keyless ? ([['Location', 'Location']] satisfies Named[]) : []),
    ...(status === 202 ? ([['Location', 'Location']] satisfies Named[]) : []),
    ...(isLater ? ([['Retry-After', 'RetryAfter']] satisfies Named[]) : []),
    ...(isAfter ? ([['Retry-After', 'RetryAfterAlways']] satisfies Named[]) : []),
    ...(status === 429
      ? ([
          ['RateLimit', 'RateLimit'],
          ['RateLimit-Policy', 'RateLimitPolicy'],
        ] satisfies Named[])
      : []),
    ...(status === 401 ? ([['WWW-Authenticate', 'WWWAuthenticate']] satisfies Named[]) : []),
    ...(status === 415 ? ([['Accept-Encoding', 'AcceptEncoding']] satisfies Named[]) : []),
    ...(mayWait ? ([['Preference-Applied', 'PreferenceApplied']] satisfies Named[]) : []),
  ];
}

const statuses: Readonly<Record<number, string>> = {
  304: 'It is what If-None-Match names',
  400: 'The request is not valid',
  401: 'Who calls is not known',
  403: 'The caller may not do this',
  404: 'There is no such thing, or it is not the caller’s',
  408: 'The request came too slowly; the connection ends',
  409: 'A true no, or it cannot be now',
  413: 'The body is over 64 kB',
  414: 'A part of the path is too long',
  415: 'The body is not JSON, or is compressed',
  422: 'The key was used for another request, or was not issued',
  429: 'A limit is reached; nothing was decided',
  431: 'The headers are over 8 kB; the connection ends',
  500: 'Something went wrong inside; the outcome of a change is not known',
  503: 'A part of the system is away; the outcome of a change is not known',
  504: 'It took too long; the outcome of a change is not known',
};

export function describeStatus(status: number): string {
  return statuses[status] ?? String(status);
}
