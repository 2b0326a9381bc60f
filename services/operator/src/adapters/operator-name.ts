import { UsageError } from './usage-error.js';

export interface NameSources {
  /** The option --as. */
  as: string | undefined;
  env: { readonly HOLDFAST_OPERATOR?: string | undefined };
  /** Who is logged in; undefined where nobody is. */
  loginName: string | undefined;
}

const id = /^[\x21-\x7e]{1,128}$/;

/** Who an operator of the mesh on this machine is: the option, else HOLDFAST_OPERATOR, else who is logged in. */
export function operatorName({ as, env, loginName }: NameSources): string | undefined {
  if (as !== undefined) return checked(as, '--as');
  const named = env.HOLDFAST_OPERATOR ?? '';
  if (named !== '') return checked(named, 'HOLDFAST_OPERATOR');
  // Without a name there is no token, and the gateway says so.
  return loginName !== undefined && id.test(loginName) ? loginName : undefined;
}

function checked(name: string, from: string): string {
  if (id.test(name)) return name;
  throw new UsageError([
    `${from} ${JSON.stringify(name)}: a name has 1 to 128 printable ASCII characters without spaces`,
  ]);
}
