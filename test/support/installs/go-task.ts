import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/fleet-test/go-task/', import.meta.url));

/** The directory of the real `task` program, fetched once; undefined when it cannot be had here. */
export function goTask(): string | undefined {
  const found = CACHE;
  if (existsSync(join(found, 'task'))) return found;
  for (const fetch of [fromPython, fromGo]) {
    const scratch = mkdtempSync(join(tmpdir(), 'fleet-go-task-'));
    try {
      keep(fetch(scratch));
      return found;
    } catch {
      // Not to be had that way.
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return undefined;
}

/** For the titles of what needs it. */
export const WITHOUT_GO_TASK = ' (skipped where the program task can neither be fetched by pip nor by go)';

function keep(program: string): void {
  const made = `${join(dirname(CACHE), 'go-task')}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  cpSync(program, join(made, 'task'));
  chmodSync(join(made, 'task'), 0o755);
  try {
    renameSync(made, CACHE);
  } catch (thrown) {
    // Somebody else was quicker.
    if (!existsSync(join(CACHE, 'task'))) throw thrown;
    rmSync(made, { recursive: true });
  }
}

function fromPython(scratch: string): string {
  const run = (...args: string[]): unknown =>
    execFileSync('python3', args, { cwd: scratch, stdio: 'ignore' });
  run('-m', 'pip', 'download', '--quiet', '--no-deps', '--retries=0', '--timeout=10', 'go-task-bin==3.54.0');
  const [wheel] = readdirSync(scratch).filter((name) => name.endsWith('.whl'));
  run('-m', 'zipfile', '-e', wheel ?? '', 'out');
  return join(scratch, 'out', 'go_task_bin-3.54.0.data', 'scripts', 'task');
}

function fromGo(scratch: string): string {
  execFileSync('go', ['install', 'github.com/go-task/task/v3/cmd/task@v3.53.0'], {
    env: { ...process.env, GOBIN: scratch },
    stdio: 'ignore',
  });
  return join(scratch, 'task');
}
