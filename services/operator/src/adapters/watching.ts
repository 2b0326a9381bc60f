import type { Paint } from '#libs/terminal/paint.js';
import { lookAgain } from '../app/look-again.js';
import type { Session } from './session.js';
import { clockText } from './time-text.js';

/** How what is watched is shown. */
export interface Watched<Seen> {
  look(): Promise<Seen>;
  json(seen: Seen): object;
  text(seen: Seen, paint: Paint): string;
  /** What is told when it changes, by its name. Figures that move all the time are left out. */
  facts(seen: Seen): ReadonlyMap<string, string>;
}

/**
 * Looks until it is interrupted: on a terminal the text is drawn again, elsewhere there is a line for each fact that
 * changed, and with --json a document whenever one did.
 */
export async function watchOn<Seen>(session: Session, { look, json, text, facts }: Watched<Seen>): Promise<void> {
  const { screen, surroundings } = session;
  const options = { everyMs: surroundings.watchEveryMs, stop: surroundings.interrupted() };
  let known: ReadonlyMap<string, string> = new Map();
  for await (const result of lookAgain(look, options)) {
    const now = new Date();
    if (screen.isRedrawn) {
      const body = 'seen' in result ? text(result.seen, screen.paint) : screen.paint('red', result.fault.message);
      screen.redraw(session.page(() => `${clockText(now)}, Ctrl-C ends\n\n${body}`));
      continue;
    }
    const found =
      'seen' in result
        ? facts(result.seen)
        : new Map([...known, ['gateway', `does not answer: ${result.fault.message}`]]);
    const changes = changesOf(known, found);
    known = found;
    if (changes.length === 0) continue;
    if (screen.json)
      screen.show(session.document('seen' in result ? json(result.seen) : faultJson(result.fault)), String);
    else for (const change of changes) screen.line(`${clockText(now)} ${change}`);
  }
}

function faultJson({ reason, message }: { reason: string; message: string }): object {
  return { error: { reason, problems: [message] } };
}

/** In words what is not as it was. */
function changesOf(was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): string[] {
  const told = [...is].filter(([name, text]) => was.get(name) !== text);
  const gone = [...was.keys()].filter((name) => !is.has(name));
  return [
    ...told.map(([name, text]) => `${name}: ${was.has(name) ? `${was.get(name)} -> ` : ''}${text}`),
    ...gone.map((name) => `${name}: ${was.get(name)} -> gone`),
  ];
}
