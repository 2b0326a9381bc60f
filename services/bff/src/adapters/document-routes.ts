import type { FastifyInstance } from 'fastify';
import { docsPage, docsPolicy } from './docs-page.js';
import { openApiOf } from './openapi.js';
import { resource } from './resource.js';
import { noQuery } from './schemas.js';

/** What is served, as OpenAPI for programs and as a page for people. Made once, when first asked for: all routes are known then. */
export function documentRoutes(app: FastifyInstance): void {
  let document: string | undefined;
  let page: string | undefined;
  resource(app, '/openapi.json', {
    GET: {
      forUser: false,
      doc: {
        id: 'getOpenApi',
        tag: 'document',
        summary: 'This document (OpenAPI 3.1)',
        answers: { 200: 'The document' },
        isLocal: true,
      },
      schema: {
        querystring: noQuery,
        response: {
          200: { content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } },
        },
      },
      async handler(_request, reply) {
        document ??= JSON.stringify(openApiOf(app.operations));
        return reply.type('application/json; charset=utf-8').serializer(asIs).send(document);
      },
    },
  });
  resource(app, '/docs', {
    GET: {
      forUser: false,
      doc: {
        id: 'getDocs',
        tag: 'document',
        summary: 'This document as a page',
        answers: { 200: 'The page' },
        isLocal: true,
      },
      schema: { querystring: noQuery, response: { 200: { content: { 'text/html': { schema: { type: 'string' } } } } } },
      async handler(_request, reply) {
        page ??= docsPage(openApiOf(app.operations));
        reply.header('content-security-policy', docsPolicy);
        return reply.type('text/html; charset=utf-8').serializer(asIs).send(page);
      },
    },
  });
}

const asIs = (text: string): string => text;
