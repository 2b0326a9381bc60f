import { spawn } from 'node:child_process';

/** Ends the watch; the server is then on its own. */
export type ReleaseGuard = () => void;

// Waits for the end of its input, which comes when the parent goes, however it goes: even kill -9 closes
// its pipes. A frozen server must be thawed before it can heed a signal.
const watch = `
read -r _
kill -CONT "$1" 2>/dev/null
kill -"$2" "$1" 2>/dev/null
i=0
while kill -0 "$1" 2>/dev/null; do
  i=$((i + 1))
  if [ "$i" -ge 100 ]; then kill -KILL "$1"; break; fi
  sleep 0.1
done
if [ -n "$3" ]; then sleep 0.2; rm -rf "$3"; fi
`;

/**
 * Has a tiny shell of its own session watch this process: when it dies, the shell sends `signal` to `pid`
 * (SIGKILL after 10 s) and removes `directory` if one is given.
 */
export function guardParent(pid: number, signal: NodeJS.Signals, directory?: string): ReleaseGuard {
  const shell = spawn(
    '/bin/sh',
    ['-c', watch, 'holdfast-guard', `${pid}`, signal.replace('SIG', ''), directory ?? ''],
    {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  shell.unref();
  shell.stdin.on('error', () => {}); // Somebody killed the watch; the server stays ours to stop.
  return () => {
    shell.kill('SIGKILL');
    shell.stdin.destroy();
  };
}
