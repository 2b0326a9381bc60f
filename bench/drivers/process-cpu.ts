import { readFileSync } from 'node:fs';
import { childrenOf } from '#libs/servers/process-table.js';

/** What Linux counts CPU time in, whatever the kernel's own tick is. */
const ticksPerSecond = 100;

/** CPU time that a process and its children have used, in seconds; undefined where there is no /proc. */
function cpuSeconds(pid: number): number | undefined {
  const own = ticksOf(pid, true);
  if (own === undefined) return undefined;
  const children = childrenOf(pid).map((child) => ticksOf(child, false) ?? 0);
  return children.reduce((sum, ticks) => sum + ticks, own) / ticksPerSecond;
}

/** CPU time between now and the call of the function returned, in microseconds per item; nothing where it is unknown. */
export function meterCpu(pids: Record<string, number | undefined>): (items: number) => Record<string, number> {
  const read = (): [string, number | undefined][] =>
    Object.entries(pids).map(([name, pid]) => [name, pid === undefined ? undefined : cpuSeconds(pid)]);
  const before = new Map(read());
  return (items) => {
    const counters: Record<string, number> = {};
    for (const [name, after] of read()) {
      const from = before.get(name);
      if (after !== undefined && from !== undefined)
        counters[`${name}_cpu_us_per_item`] = ((after - from) * 1e6) / items;
    }
    return counters;
  };
}

/** utime and stime, and with `ended` those of children that have ended: fields 14 to 17, counted from the state, field 3. */
function ticksOf(pid: number, ended: boolean): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, ended ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return undefined;
  }
}
