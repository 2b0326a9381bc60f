import type { Command } from 'commander';
import type { Role } from '#libs/identity/principal.js';
import { isIdentityId } from '#libs/identity/principal.js';
import { localTokens } from '#libs/mesh/local-issuer.js';
import { readMeshFile } from '#libs/mesh/mesh-file.js';
import { readDuration } from '../../domain/typed.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';

interface Given {
  staff?: string[];
  operator?: boolean;
  service?: boolean;
  for: string;
}

/** `token`: who the mesh on this machine shall take somebody for. Elsewhere tokens come from an identity provider. */
export function addTokenCommand(program: Command, session: Session): void {
  program
    .command('token')
    .description('a token for the mesh that npm start runs: who somebody is, and in which role')
    .argument('<USER>', 'who it is for')
    .option('--staff <STORE...>', 'who works for these stores')
    .option('--operator', 'who may do what this program does')
    .option('--service', "another team's program, which acts for users")
    .option('--for <TIME>', 'how long it lasts, like 30m, 8h or 2d, up to 365d', '8h')
    .addHelpText(
      'after',
      `
Examples:
  curl -H "authorization: Bearer $(npx --no-install holdfast token ada)" http://127.0.0.1:8080/v1/me/orders
  holdfast token sam --staff kiln aurora
  holdfast token shop --service --for 30d`,
    )
    .action((user: string, given: Given) => {
      const { problems, role, seconds } = readGiven(user, given);
      if (problems.length > 0) throw new UsageError(problems);
      const { screen, surroundings } = session;
      const identity = readMeshFile(surroundings.meshDirectory)?.identity;
      if (identity === undefined) throw new UsageError(['no mesh runs on this machine: npm start, then ask again']);
      const token = localTokens(identity)(user, { role, seconds, ...(given.staff && { stores: given.staff }) });
      screen.show({ token }, () => token);
    });
}

function readGiven(user: string, given: Given): { problems: string[]; role: Role; seconds: number } {
  const problems: string[] = [];
  const wrongId = 'give 1 to 128 printable ASCII characters without spaces';
  if (!isIdentityId(user)) problems.push(`USER ${JSON.stringify(user)}: ${wrongId}`);
  for (const store of given.staff ?? []) {
    if (!isIdentityId(store)) problems.push(`--staff ${JSON.stringify(store)}: ${wrongId}`);
  }
  const roles: Role[] = [
    ...(given.staff ? ['STAFF' as const] : []),
    ...(given.operator ? ['OPERATOR' as const] : []),
    ...(given.service ? ['SERVICE' as const] : []),
  ];
  const [role = 'USER', ...others] = roles;
  if (others.length > 0) problems.push('--staff, --operator and --service: give one of them, or none for a user');
  const seconds = readDuration('--for', given.for, problems) ?? 0;
  return { problems, role, seconds };
}
