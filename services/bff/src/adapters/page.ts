import type { FastifyRequest } from 'fastify';

/** More than any page has, and not more than the contract can say. */
const pageSizeMax = 1_000_000_000;

/** Which page is asked for; the schema has let it through. */
export function pageOf({ query }: FastifyRequest): { pageSize: number; pageToken: string } {
  const { page_size: pageSize = '0', page_token: pageToken = '' } = query as Partial<Record<string, string>>;
  return { pageSize: Math.min(Number(pageSize), pageSizeMax), pageToken };
}
