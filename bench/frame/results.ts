import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** Where results and charts go; not kept in git. */
export const resultsDirectory = join(repository, 'bench', 'results');
