import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LIMITS_FILE, type LimitsFile, type Measured, readLimitsFile, settingsOf } from '#libs/mesh/limits-file.js';

/** The limits file that was named, else that of the mesh's directory, else none. Says which it is. */
export function findLimits(
  named: string | undefined,
  directory: string,
  report: (line: string) => void,
): LimitsFile | undefined {
  const path = named ?? join(directory, LIMITS_FILE);
  const limits = readLimitsFile(path);
  if (limits) report(`limits of ${path}, measured ${limits.measured.at}${onOtherMachine(limits.measured)}`);
  else if (named !== undefined) throw new Error(`--limits: there is no file ${named}; npm run calibrate makes one`);
  return limits;
}

function onOtherMachine({ cores }: Measured): string {
  const here = availableParallelism();
  return cores === here ? '' : ` on ${cores} cores; here are ${here}: measure again with npm run calibrate`;
}

/** What the environment says of the settings that the file gives: it is the later word. */
export function overruling(limits: LimitsFile | undefined, env: NodeJS.ProcessEnv): Record<string, string> {
  if (!limits) return {};
  const names = Object.keys(limits.services).flatMap((service) => Object.keys(settingsOf(limits, service, 1)));
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}
