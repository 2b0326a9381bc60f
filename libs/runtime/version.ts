import { existsSync, readFileSync } from 'node:fs';

/** The version of Holdfast that runs, as package.json has it. */
export const version: string = read();

// Sources stand two folders below it, what the build makes of them three.
function read(): string {
  const places = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url));
  const place = places.find((path) => existsSync(path));
  if (!place) throw new Error('there is no package.json above libs/runtime');
  const parts: unknown = JSON.parse(readFileSync(place, 'utf8'));
  return String((parts as { version?: unknown }).version);
}
