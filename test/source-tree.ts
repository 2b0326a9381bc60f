import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A text file of the repository; the path is relative to its root, with slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

const skipped = new Set(['node_modules', 'dist', '.git', '.holdfast', 'coverage', 'drills']);
const binary = /\.(binpb|png|ico|woff2?)$/;

/** Every file of ours: generated code too, nothing installed, built or measured. */
export function sourceTree(): SourceFile[] {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return pathsUnder(root, '').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function pathsUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (skipped.has(entry.name)) return []; // In a work tree, .git is a file.
    if (entry.isDirectory()) return pathsUnder(root, path);
    return entry.isFile() && !binary.test(path) && !path.endsWith('.log') ? [path] : [];
  });
}

/** What a module imports: `#libs/…` and packages as they stand, relative ones as paths from the root. */
export function importsOf(file: SourceFile): string[] {
  const pattern = /(?:^|[;}\s])(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/g;
  return [...file.text.matchAll(pattern)]
    .map(([, fixed, dynamic]) => fixed ?? dynamic ?? '')
    .map((module) => (module.startsWith('.') ? posix.join(posix.dirname(file.path), module) : module));
}

/** Functions of code in Biome's layout, where one ends at the first closing bracket as far in as its start. */
export function functionsOf(text: string): { line: number; length: number }[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!startsFunction(line)) return [];
    const indent = /^ */.exec(line)?.[0] ?? '';
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${indent}}`));
    return end < 0 ? [] : [{ line: index + 1, length: end - index + 1 }];
  });
}

function startsFunction(line: string): boolean {
  if (!line.endsWith('{') || /^\s*(\} )?(if|else|for|while|switch|catch|do|try)\b/.test(line)) return false;
  return (
    /\bfunction\b|=> \{$/.test(line) || /^\s*(?:(?:async|static|get|set|override|private) )*[\w#*]+\(.*\{$/.test(line)
  );
}

/** The text between the bracket at `open` and the one that closes it. */
export function enclosed(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if ('({['.includes(text.charAt(at))) depth++;
    if (')}]'.includes(text.charAt(at)) && --depth === 0) return text.slice(open + 1, at);
  }
  return text.slice(open + 1);
}
