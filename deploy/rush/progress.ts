import type { Tally } from './crowd.js';

const EVERY_MS = 100;
const WIDTH = 30;

/** Draws how far the crowd is on a terminal, over and over in one line, until the function returned is called. */
export function showProgress(name: string, tally: Tally, terminal: NodeJS.WriteStream): () => void {
  if (!terminal.isTTY) return () => {};
  const draw = (): void => {
    terminal.write(`\r\u001b[K${progressLine(name, tally)}`);
  };
  const timer = setInterval(draw, EVERY_MS);
  return () => {
    clearInterval(timer);
    terminal.write('\r\u001b[K');
  };
}

/** `clinic ██████░░░░ 523/1010 answered: 40 held, 483 refused, 0 errors`. */
function progressLine(name: string, { people, done, held, refused, errors }: Tally): string {
  const filled = Math.round((WIDTH * done) / Math.max(1, people));
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  return `${name} ${bar} ${done}/${people} answered: ${held} held, ${refused} refused, ${errors} errors`;
}
