import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One Lua script, under the name by which its calls are counted. */
export interface Script {
  readonly name: string;
  readonly text: string;
  /** SHA-1 of the text in hex, by which Redis remembers it. */
  readonly sha: string;
}

/** Reads a script from its own file; the name is the file's. What it shares with others comes from `preludes`, before it. */
export function luaScript(url: URL, ...preludes: URL[]): Script {
  const text = [...preludes, url].map((each) => readFileSync(each, 'utf8')).join('\n');
  return {
    name: basename(fileURLToPath(url), '.lua'),
    text,
    sha: createHash('sha1').update(text).digest('hex'),
  };
}
