import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOAK = fileURLToPath(new URL('../../scripts/soak.ts', import.meta.url));

it.skipIf(process.platform !== 'linux')(
  'a soak in small: every task has one end though a runner is killed, and nothing is left of it (needs /proc)',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-soak-'));
    const child = spawn(process.execPath, [SOAK, '--agents', '3', '--tasks', '60', '--json'], {
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const { figures, flat, problems } = JSON.parse(stdout) as {
      figures: Record<string, unknown>;
      flat: { what: string }[];
      problems: string[];
    };
    const states = JSON.parse(String(figures['tasks by state'])) as Record<string, number>;
    expect((states['complete'] ?? 0) + (states['interrupted'] ?? 0)).toBe(60);
    expect(figures).toMatchObject({ agents: 3, tasks: 60, 'runners killed': 1 });
    expect(figures['journal bytes a task']).toBeGreaterThan(0);
    expect(flat).toHaveLength(6);
    // So short a run tells nothing of growth.
    expect(problems.filter((problem) => !problem.endsWith('grows'))).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.startsWith('fleet-bench-'))).toEqual([]);
    rmSync(directory, { recursive: true, force: true });
  },
  300_000,
);
