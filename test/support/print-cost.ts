import { readFileSync } from 'node:fs';

/** The unit of /proc/PID/stat: USER_HZ, which is 100 on x86 and ARM. */
const TICKS_PER_SECOND = 100;

/** Prints at the end of a run how long it took and how much processor time it used. */
export function setup(): void {
  const begun = performance.now();
  // The processes of the tests have ended only then.
  process.once('exit', () => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`Run time: ${seconds} s. CPU time: ${cpuSeconds()} s.`);
  });
}

/** Of this process and, where there is /proc, of all its descendants but those that outlived their parents. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  let waitedFor = 0;
  try {
    // The name of the program is in parentheses and may hold spaces. Children's user and system time are fields 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    waitedFor = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    // No /proc: the figure is of this process alone.
  }
  return Math.round((user + system) / 1e6 + waitedFor);
}
