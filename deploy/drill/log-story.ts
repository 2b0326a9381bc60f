/** Something that one or more processes logged, again and again or once. Times in milliseconds since the epoch. */
export interface StoryLine {
  firstAt: number;
  lastAt: number;
  times: number;
  processes: string[];
  /** warn and above are trouble. */
  level: 'info' | 'warn' | 'error';
  text: string;
}

interface Heard {
  at: number;
  process: string;
  level: StoryLine['level'];
  text: string;
}

/** More than this is a flood that nobody reads; what comes then is only counted. */
const MOST_LINES = 20_000;
/** The same words after so long a silence are a new event. */
const SAME_EVENT_MS = 1_500;

/** What the services of a mesh log, kept to be told in the order of time. */
export class LogStory {
  readonly #heard: Heard[] = [];
  #dropped = 0;

  hear(process: string, line: string): void {
    if (this.#heard.length >= MOST_LINES) this.#dropped += 1;
    else this.#heard.push({ process, ...read(line) });
  }

  /** Something that the drill itself does. */
  note(text: string, at = Date.now()): void {
    this.#heard.push({ process: 'drill', at, level: 'info', text });
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** What was logged between the two moments; the same words of any process, close together, are one line. */
  between(from: number, to: number): StoryLine[] {
    const lines: StoryLine[] = [];
    const heard = this.#heard.filter(({ at }) => at >= from && at <= to).sort((a, b) => a.at - b.at);
    for (const { at, process, level, text } of heard) {
      const known = lines.findLast((line) => line.text === text);
      if (known && at - known.lastAt <= SAME_EVENT_MS) {
        known.lastAt = at;
        known.times += 1;
        if (!known.processes.includes(process)) known.processes.push(process);
      } else {
        lines.push({ firstAt: at, lastAt: at, times: 1, processes: [process], level, text });
      }
    }
    return lines;
  }
}

/** Figures that differ from line to line, and what every line carries. */
const UNTOLD = new Set(['name', 'pid', 'hostname', 'faultId', 'orders', 'claims', 'messages', 'orderId', 'requestId']);

/** A line of a service's log, or whatever else a process says. */
function read(line: string): Omit<Heard, 'process'> {
  try {
    const { time, level, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>;
    const shown = Object.entries(facts).filter(([name, value]) => !UNTOLD.has(name) && typeof value !== 'object');
    const details = [...messageOf(err), ...shown.map(([name, value]) => `${name} ${value}`)];
    return {
      at: Date.parse(String(time)),
      level: levelOf(level),
      text: details.length === 0 ? String(msg) : `${msg} (${details.join(', ')})`,
    };
  } catch {
    return { at: Date.now(), level: 'warn', text: line.slice(0, 200) };
  }
}

function messageOf(error: unknown): string[] {
  return typeof error === 'object' && error !== null && 'message' in error ? [String(error.message)] : [];
}

function levelOf(level: unknown): StoryLine['level'] {
  if (level === 'error' || level === 'fatal') return 'error';
  return level === 'warn' ? 'warn' : 'info';
}
