import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, waitIdle } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> =>
  runFleet(['diff', ...args], { env: fleet.env });

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony', { task: script({ write: 'work.txt', content: 'one\n' }) });
  await ask('start_agent_task', {
    agent_name: 'sony',
    task_description: script({ write: 'fleet.yaml', content: 'two \u001b[31mred\n' }),
  });
  await waitIdle(ask, 'sony');
});

describe('fleet diff', () => {
  it('lists the files with their marks [CLI-diff]', async ({ fleet }) => {
    const { code, stdout, stderr } = await run(fleet, 'SONY', '--stat');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^work\.txt {2}\+1 -0/m);
    expect(stdout).toMatch(/^fleet\.yaml {2}\+1 -0 .*runs elsewhere/m);
    expect(stdout).toMatch(/^2 files, \+2 -0$/m);
    expect(stderr).toContain('These take effect for others once they are merged: fleet.yaml');
  });

  it('prints a patch that git apply takes, byte for byte', async ({ fleet }) => {
    const { stdout } = await run(fleet, 'sony');
    expect(stdout).toContain('+two \u001b[31mred\n');
    execFileSync('git', ['-C', fleet.repository, 'apply', '--cached'], { input: stdout });
    const staged = execFileSync('git', ['-C', fleet.repository, 'diff', '--cached', '--name-only']);
    expect(staged.toString()).toBe('fleet.yaml\nwork.txt\n');
    execFileSync('git', ['-C', fleet.repository, 'reset', '--quiet']);
  });

  it('names binary files, and those that run elsewhere, also after a large file', async ({ fleet, ask }) => {
    const task = String.raw`seq 200000 > a.txt; printf '\0' > b.bin; mkdir .claude; echo '{}' > .claude/settings.json; echo x > .envrc; echo z > z.txt; mkdir d; echo x > d/.envrc`;
    const { agent } = await ask('create_agent', { project: 'Setup', role: 'shell', task });
    const { name } = agent as { name: string };
    await waitIdle(ask, name);
    const { stdout, stderr } = await run(fleet, name);
    expect(stdout).toContain('+200000\n');
    expect(stderr).toContain('Binary files are not in the patch: b.bin\n');
    expect(stderr).toContain('are merged: .claude/settings.json, .envrc, d/.envrc\n');
  });

  it('shows some paths, one task, or what came since a checkpoint', async ({ fleet, ask }) => {
    const { tasks } = (await ask('show_agent_task_history', { agent_name: 'sony', page_size: 2 })) as {
      tasks: { id: string }[];
    };
    const [second, first] = tasks.map(({ id }) => id) as [string, string];
    expect((await run(fleet, 'sony', '--stat', '--', 'work.txt')).stdout).toMatch(/^1 file, /m);
    expect((await run(fleet, 'sony', '--stat', '--task', first.slice(0, 8))).stdout).toMatch(/^work\.txt/);
    expect((await run(fleet, 'sony', '--stat', '--task', second)).stdout).toMatch(/^fleet\.yaml/);
    expect((await run(fleet, 'sony', '--stat', '--since', '1')).stdout).toMatch(/^fleet\.yaml/);
  });

  it('has one JSON document with all files and their patches', async ({ fleet }) => {
    const { stdout } = await run(fleet, 'sony', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      agent_name: 'sony',
      branch: 'fleet/sony',
      total_files: 2,
      cursor: null,
      files: [{ path: 'fleet.yaml' }, { path: 'work.txt', patch: expect.stringContaining('+one\n') }],
    });
  });

  it('works for an agent that is stopped, and starts nothing', async ({ fleet, ask }) => {
    await ask('stop_agent', { agent_name: 'sony' });
    const { workspace_id: id } = await agentOf(ask, 'sony');
    expect((await run(fleet, 'sony', '--stat')).stdout).toMatch(/^2 files/m);
    expect(existsSync(join(fleet.home, 'agents', id, 'runner.sock'))).toBe(false);
  });

  it('says what is wrong', async ({ fleet }) => {
    expect(await run(fleet, 'nobody')).toMatchObject({ code: 3, stderr: expect.stringContaining('nobody') });
    expect(await run(fleet, 'sony', '--since', '9')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has 2'),
    });
    expect(await run(fleet, 'sony', '--since', '1', '--task', '0'.repeat(36))).toMatchObject({ code: 2 });
    expect(await run(fleet, 'sony', '--', '../x')).toMatchObject({ code: 2 });
  });
});
