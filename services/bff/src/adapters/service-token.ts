import { readFileSync } from 'node:fs';

/**
 * As whom this edge speaks for itself: by the token in a file, or, without one, by the certificate of its connections.
 * It is read each time that it is asked for, which is seldom, so whoever replaces the file need tell nobody.
 */
export function serviceMetadata(path: string | undefined): () => Readonly<Record<string, string>> {
  return () => (path === undefined ? {} : { authorization: `Bearer ${readFileSync(path, 'utf8').trim()}` });
}
