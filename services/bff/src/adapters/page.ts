import type { FastifyRequest } from 'fastify';

/** Which page is asked for; the schema has let it through. */
export function pageOf({ query }: FastifyRequest): { pageSize: number; pageToken: string } {
  const { page_size: pageSize = '0', page_token: pageToken = '' } = query as Partial<Record<string, string>>;
  return { pageSize: Number(pageSize), pageToken };
}
