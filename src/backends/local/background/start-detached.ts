import { spawn } from 'node:child_process';
import { programFile } from '../../../platform/package.ts';
import { identify, type ProcessIdentity } from '../../../platform/processes/process-identity.ts';

/** Starts `merge-main`, which outlives the process that started it. Null when it could not be started. */
export function startDetached(home: string, args: readonly string[]): ProcessIdentity | null {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', programFile('backends/local/merge-main'), home, ...args],
    { detached: true, stdio: 'ignore', cwd: home },
  );
  // Then no process works on it, and the next one that looks reports that it was interrupted.
  child.once('error', () => {});
  child.unref();
  return child.pid === undefined ? null : (identify(child.pid) ?? null);
}
