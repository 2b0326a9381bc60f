import { createWriteStream, existsSync, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** Past this size a log begins anew at the next start; one older file is kept. */
const ROTATE_BYTES = 16 * 2 ** 20;

/** One file per process in `<directory>/logs`, with everything it writes. */
export class MeshLogs {
  readonly #files = new Map<string, WriteStream>();
  readonly #folder: string;

  constructor(directory: string) {
    this.#folder = join(directory, 'logs');
    mkdirSync(this.#folder, { recursive: true });
  }

  write(name: string, line: string): void {
    const file = this.#files.get(name) ?? this.#open(name);
    file.write(`${line}\n`);
  }

  close(): void {
    for (const file of this.#files.values()) file.end();
  }

  #open(name: string): WriteStream {
    const path = join(this.#folder, `${name}.log`);
    if (existsSync(path) && statSync(path).size > ROTATE_BYTES) renameSync(path, `${path}.1`);
    const file = createWriteStream(path, { flags: 'a' });
    this.#files.set(name, file);
    return file;
  }
}
