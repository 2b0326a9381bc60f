import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { reasons } from '#libs/refusal/catalogue.js';
import { localeOf } from '#libs/refusal/locale.js';
import type { Locale } from '#libs/refusal/localize.js';
import { reasonOfName } from '#libs/refusal/type-of-reason.js';
import { docsPolicy } from './docs-page.js';
import { sendHttpProblem } from './problem.js';
import { problemPage, problemsPage } from './problem-page.js';
import { reasonAnswer, reasonJson, reasonsAnswer } from './reason-json.js';
import { resource } from './resource.js';
import { noQuery, reasonParams } from './schemas.js';
import { varyBy } from './vary.js';

const html = { schema: { type: 'string' } } as const;

/** What the types of problems lead to: each reason explained, as a page for people or as JSON, in the language asked for. */
export function problemRoutes(app: FastifyInstance): void {
  resource(app, '/problems', {
    GET: {
      forUser: false,
      doc: {
        id: 'listProblems',
        tag: 'document',
        summary: 'Every reason that a problem may have',
        answers: { 200: 'The reasons' },
        isLocal: true,
      },
      schema: {
        querystring: noQuery,
        response: { 200: { content: { 'application/json': { schema: reasonsAnswer }, 'text/html': html } } },
      },
      async handler(request, reply) {
        return send(request, reply, (locale) => {
          const problems = reasons.map((reason) => reasonJson(reason, locale));
          return { json: { problems }, page: () => problemsPage(problems, locale) };
        });
      },
    },
  });
  resource(app, '/problems/:reason', {
    GET: {
      forUser: false,
      doc: {
        id: 'getProblem',
        tag: 'document',
        summary: 'What a reason means, and what to do next',
        answers: { 200: 'The reason' },
        isLocal: true,
        mayLack: 'reason',
      },
      schema: {
        params: reasonParams,
        querystring: noQuery,
        response: { 200: { content: { 'application/json': { schema: reasonAnswer }, 'text/html': html } } },
      },
      async handler(request, reply) {
        const reason = reasonOfName((request.params as { reason: string }).reason);
        if (reason === undefined) return sendHttpProblem('RESOURCE_NOT_FOUND', request, reply);
        return send(request, reply, (locale) => {
          const json = reasonJson(reason, locale);
          return { json, page: () => problemPage(json, locale) };
        });
      },
    },
  });
}

interface Explained {
  json: object;
  page: () => string;
}

/** Browsers name HTML among what they take; programs get JSON. */
function send(request: FastifyRequest, reply: FastifyReply, explain: (locale: Locale) => Explained): FastifyReply {
  const locale = localeOf(request.headers['accept-language']);
  const { json, page } = explain(locale);
  varyBy(reply, 'Accept, Accept-Language');
  reply.header('content-language', locale).serializer(asIs);
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(json));
  }
  reply.header('content-security-policy', docsPolicy);
  return reply.type('text/html; charset=utf-8').send(page());
}

const asIs = (text: string): string => text;
