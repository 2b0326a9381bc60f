import type { LoadFnOutput } from 'node:module';

/** What is replaced: the URL of the module, the name of its export, and the URL of the file that exports `unsafe`. */
interface Replacement {
  module: string;
  name: string;
  by: string;
}

type NextLoad = (url: string, context: object) => Promise<LoadFnOutput>;

let replacement: Replacement | undefined;

/** Called by Node before the first module is loaded. */
export function initialize(data: Replacement): void {
  replacement = data;
}

/** Called by Node for each module: the one that is asked for becomes a shell around the real one. */
export async function load(url: string, context: object, nextLoad: NextLoad): Promise<LoadFnOutput> {
  if (url !== replacement?.module) return await nextLoad(url, context);
  const { name, by } = replacement;
  const real = JSON.stringify(`${url}?real`);
  const source = `
    import { ${name} as real } from ${real};
    import { unsafe } from ${JSON.stringify(by)};
    export * from ${real};
    export const ${name} = unsafe(real);`;
  return { format: 'module', shortCircuit: true, source };
}
