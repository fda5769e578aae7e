import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SCALE = fileURLToPath(new URL('../../scripts/scale.ts', import.meta.url));

/** The run that is made for 200 live and 1,000 sleeping agents, in small. */
describe('a run made for a large fleet', () => {
  let child: ChildProcess | undefined;
  let held: { held: boolean; figures: Record<string, unknown>; problems: string[] };
  const directory = mkdtempSync(join(tmpdir(), 'fleet-scale-'));

  beforeAll(async () => {
    const run = spawn(process.execPath, [SCALE, '--live', '6', '--asleep', '12', '--json'], {
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = run;
    const [stdout] = await Promise.all([text(run.stdout), once(run, 'close')]);
    held = JSON.parse(stdout) as typeof held;
  });
  afterAll(async () => {
    if (child !== undefined && child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(directory, { recursive: true, force: true });
  });

  it('holds as many live agents as it is asked for, and each works [NUM-live-200]', () => {
    expect(held).toMatchObject({ held: true, problems: [] });
    expect(child?.exitCode).toBe(0);
    expect(held.figures).toMatchObject({
      'agents listed in one call': 18,
      'live agents that did a second task': 6,
    });
  });

  it('holds sleeping agents that have no process, and they wake [NUM-asleep-1000]', () => {
    expect(held.figures).toMatchObject({
      'agents asleep': 12,
      'agents idle': 18,
      // Those of the live ones, and none for the others.
      'processes of the fleet': 6,
      'sleeping agents that woke for a task': 1,
    });
    expect(readdirSync(directory).filter((name) => name.startsWith('fleet-bench-'))).toEqual([]);
  });
});
